"""What the statistics claim: known answers, oracles, and the rules that keep a figure honest."""
