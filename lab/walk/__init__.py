"""The path of a new user with a free NVMe drive, as the guides describe it."""
