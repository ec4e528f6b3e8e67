"""Machines on the same engine: described in a file, studied by kinematics, inverse, forward and optimal control.

A `Machine` is a multibody system with motors, springs, stops and laws of motion, whose numbers may be expressions of
named parameters. The same description serves natural coordinates (`biomec.engine`), reference-point coordinates
(`reference_points`) and symbolic equations (`symbolic`).
"""
