"""Arrays of emulated NVMe drives: their members are purged, and the array is created again as it was."""
