"""Norm data: bands of healthy walkers behind a patient's curves.

`norm` is the data model, `norm_file` our own text format and the sets that come with Biomec, `readers` the formats of
other programs, `own_norm` a norm of a laboratory's own recordings, `choice` which set suits a patient.
"""
