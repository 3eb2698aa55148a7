"""Lower and upper bounds of what a workload may request. The engine has the same bounds."""

from typing import Final

SECTOR_BYTES: Final = 512
BLOCK_SIZE_BYTES_MAX: Final = 64 << 20
QUEUE_DEPTH_MAX: Final = 4096
JOBS_MAX: Final = 256
TARGETS_MAX: Final = 64
RATE_PER_S_MAX: Final = 10**9
# Small enough to stay exact in every JSON reader, and more than the operations of any run.
COUNT_MAX: Final = 10**12
AMOUNT_BYTES_MAX: Final = 2**60
DURATION_NS_MAX: Final = 30 * 86_400 * 10**9
DURATION_NS_MIN: Final = 1_000_000
# Default maximum in flight of an open loop: enough for 640,000 operations/s of 100 µs each, or 6,400 of 10 ms; deeper
# than the queue of a SATA drive (32); and as many as there are buffers of the largest block (64).
OPEN_LOOP_DEPTH: Final = 64
