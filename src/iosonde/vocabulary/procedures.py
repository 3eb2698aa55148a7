"""The words of standard procedures, and of purging."""

from enum import StrEnum


class ProcedureKind(StrEnum):
    """The kind of a standard procedure: one of the eight of the SNIA PTS, or any other that repeats rounds."""

    IOPS = "iops"
    THROUGHPUT = "throughput"
    LATENCY = "latency"
    WRITE_SATURATION = "write_saturation"
    HOST_IDLE_RECOVERY = "host_idle_recovery"
    CROSS_STIMULUS_RECOVERY = "cross_stimulus_recovery"
    COMPOSITE_BLOCK_SIZE = "composite_block_size"
    DEMAND_INTENSITY = "demand_intensity"
    ROUNDS = "rounds"


class Mode(StrEnum):
    """The mode of a SNIA procedure: its write cache, active range and demand."""

    ENTERPRISE = "enterprise"
    CLIENT = "client"


class PhaseRole(StrEnum):
    """What a phase is for; ``screening`` are short rounds of tracking variables, ``stimulus`` a long workload."""

    PRECONDITIONING = "preconditioning"
    ROUNDS = "rounds"
    SCREENING = "screening"
    SATURATION = "saturation"
    HISTOGRAM = "histogram"
    STIMULUS = "stimulus"
    IDLE_RECOVERY = "idle_recovery"
    BASELINE = "baseline"
    OPERATING_POINTS = "operating_points"


class PurgeState(StrEnum):
    """How far a purge is known to have happened; ``simulated`` drives were put back to their fresh state."""

    VERIFIED = "verified"
    SIMULATED = "simulated"
    FAILED = "failed"
    SKIPPED = "skipped"


class SampleOf(StrEnum):
    """Which sample of a block is judged."""

    FIRST = "first"
    LAST = "last"


class PurgeMethod(StrEnum):
    """A way to purge a device: a discard, or a command of the drive.

    hdparm carries out those of ATA drives, and sg3_utils those of SCSI drives.
    """

    DISCARD = "discard"
    FORMAT = "format"
    CRYPTO_FORMAT = "crypto-format"
    SANITIZE_BLOCK = "sanitize-block"
    SANITIZE_CRYPTO = "sanitize-crypto"
    SANITIZE_OVERWRITE = "sanitize-overwrite"
    ATA_SECURE_ERASE = "ata-secure-erase"
    ATA_ENHANCED_ERASE = "ata-enhanced-erase"
    SCSI_SANITIZE_BLOCK = "scsi-sanitize-block"
    SCSI_SANITIZE_CRYPTO = "scsi-sanitize-crypto"
    SCSI_SANITIZE_OVERWRITE = "scsi-sanitize-overwrite"
    SCSI_FORMAT = "scsi-format"


class PurgeOutcome(StrEnum):
    """What became of a purge.

    ``purged``: the drive reports success, and nothing that was there before was read again. ``not-purged``: it failed
    or did not finish, or data survived that it had to erase. ``not-verified``: the drive reports success, and reading
    back does not confirm it.
    """

    PURGED = "purged"
    NOT_PURGED = "not-purged"
    NOT_VERIFIED = "not-verified"
