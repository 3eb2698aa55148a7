"""Options of fio, DiskSpd and TKperf, and their counterparts in iosonde. Pure."""
