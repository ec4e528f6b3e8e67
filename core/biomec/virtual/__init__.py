"""A virtual person who moves, and the laboratory that records it: acquisitions of which everything is known."""
