"""Crutches and orthoses in the window: what if they were others."""
