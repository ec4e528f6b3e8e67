"""Panels around the view: plots, tree, notices, trust, history."""
