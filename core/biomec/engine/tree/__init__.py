"""Recursion along the joints of a mechanism that is nearly a tree, body by body."""
