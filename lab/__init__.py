"""Emulated machines for what no ordinary machine has: NUMA nodes, NVMe drives that poll, fail or are taken away."""
