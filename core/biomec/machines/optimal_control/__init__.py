"""Optimal control of machines: which torques do a task at the least cost, along a path that the machine must keep to.

`problem` says what is asked, `planar_model` writes a machine's equations, `collocation` and `shooting` solve,
`solution` checks what they found by an integrator of another kind, `continuation` leads from an easy problem to a hard
one.
"""
