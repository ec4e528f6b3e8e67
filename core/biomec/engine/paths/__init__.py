"""Paths of cords over moving bodies: points, surfaces that they wrap, lengths, and the loads of a unit tension."""
