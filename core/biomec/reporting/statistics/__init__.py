"""Statistics over cycles, comparison of conditions and models, agreement of two methods, quality of frames."""
