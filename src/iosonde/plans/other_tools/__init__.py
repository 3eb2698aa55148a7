"""What users of other tools type: fio's, DiskSpd's and TKperf's words, and what they are here. Pure."""
