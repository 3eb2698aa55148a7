"""Purges of emulated drives: what each method leaves, what it may not reach, and drives that lie."""
