"""Indices: one number, or a few, for how a movement differs from that of healthy people, and values of its curves."""
