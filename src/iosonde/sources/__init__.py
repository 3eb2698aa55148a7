"""Where records come from. In: a plan's cells. Out: cell records, whatever measured them."""

from iosonde.sources.engine import EngineSource, Interrupted, OpenTarget, TargetRequest, Way

__all__ = ["EngineSource", "Interrupted", "OpenTarget", "TargetRequest", "Way"]
