"""The engine shown on mechanisms with a known answer: a table of checks, two pictures and an animation."""

from biomec_app.engine_tour.tour import main, verdict

__all__ = ["main", "verdict"]
