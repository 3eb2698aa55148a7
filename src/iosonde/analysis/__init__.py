"""Pure statistics: records in, estimates with their uncertainty out.

Nothing here reads a file, prints, or depends on the source of a record. Distributions are merged by adding counts.
Percentiles are never averaged. The unit of inference is a repeat.
"""
