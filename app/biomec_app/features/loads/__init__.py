"""Joint loads in the window: curves, trust, comparison, and the panel that shows them."""
