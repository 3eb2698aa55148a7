"""Drives with faults of known kind, place and number: what a run reports of them."""
