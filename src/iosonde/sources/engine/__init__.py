"""iosonde's own engine as a source: finds it, starts it, speaks its protocol (docs/protocol.md), and ends it."""

from iosonde.sources.engine.source import EngineSource

__all__ = ["EngineSource"]
