"""Muscles in the window: curves, tubes and contact forces in the 3-D view, panel, what if, EMG beside them."""
