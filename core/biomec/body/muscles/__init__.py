"""Muscles of a person: sets read from files, fitted to the segments of a model, and their paths in a motion."""
