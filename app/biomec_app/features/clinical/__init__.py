"""Clinical plots, norm data, visits of several trials, and the report of a visit."""
