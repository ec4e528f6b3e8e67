"""Contact of two bodies in a plane: where they touch (`profiles`), how they push (`force_laws`), and what
impacts do (`impacts`): of rigid bodies, and of two spheres, on which the laws are compared.
"""
