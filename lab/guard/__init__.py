"""The guard on emulated drives: each device in use or mistaken is refused, and not a byte changes."""
