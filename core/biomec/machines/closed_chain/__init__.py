"""Machines with closed loops and more motors than degrees of freedom ([Silva2007]), for any number of bodies and loops.

`inverse` finds multipliers, driving torques and joint forces of a driven motion; `sharing` spreads them over redundant
motors and compares; `replay` and `four_bar` check.
"""
