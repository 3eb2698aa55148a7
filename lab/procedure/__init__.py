"""A standard procedure on an NVMe drive, from its purge to its report."""
