"""Our own engine as a source: found, started, spoken to over the wall (docs/protocol.md), and ended."""

from iosonde.sources.engine.job import Way
from iosonde.sources.engine.source import EngineSource, Interrupted, OpenTarget, TargetRequest

__all__ = ["EngineSource", "Interrupted", "OpenTarget", "TargetRequest", "Way"]
