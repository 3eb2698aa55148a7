"""The write cache of emulated drives: set, read back by another program, restored, and refused."""
