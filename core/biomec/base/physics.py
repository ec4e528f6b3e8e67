"""Physical constants."""

GRAVITY = 9.81
"""Acceleration of free fall where nothing else is given [m/s²]: the value of the published figures.

Standard gravity (CGPM 1901), 9.80665 m/s², is 0.034 % less; on Earth it varies from 9.78 to 9.83.
"""
