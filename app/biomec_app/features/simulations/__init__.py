"""Simulations in the window: choosing, running, comparing and showing them."""
