"""Symbolic equations of motion and what can be made of them: state equations, linear models, programs, typeset text.

Equations come from energies (`lagrange`), from a machine (`machine_equations`) or ready-made (`sorting`); all end as
`equations.EquationsOfMotion`. Nothing here is imported with the package: sympy takes a second to load.
"""
