"""Pure statistics: records in, estimates with their uncertainty out.

Nothing here reads a file, prints, or asks where a record came from. Distributions are merged by adding counts; a
percentile is never averaged; the sample of inference is a repeat.
"""
