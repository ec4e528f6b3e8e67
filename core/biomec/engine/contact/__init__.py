"""Contact of two bodies in a plane: where they touch (`profiles`, `circle_face`), how they push (`force_laws`), and
what an instantaneous impact does (`rigid_impact`). `spheres` compares the laws on two colliding spheres.
"""
