"""Symbolic equations of motion and what can be made of them: state equations, linear models, programs, typeset text.

Equations come from energies, as expressions or texts, or ready-made (`lagrange`), or from a machine
(`machine_equations`); all end as `equations.EquationsOfMotion`. Nothing here is imported with the package: sympy takes
a second to load.
"""
