"""Our own engine as a source: found, started, spoken to over the wall (docs/protocol.md), and ended."""

from iosonde.sources.engine.source import EngineSource

__all__ = ["EngineSource"]
