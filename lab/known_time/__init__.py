"""Devices whose latency is known, since it was set: iosonde beside fio and the kernel's own view of the same reads."""
