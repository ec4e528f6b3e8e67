"""Pictures and a page of an analysis, to be looked at, printed and kept."""
