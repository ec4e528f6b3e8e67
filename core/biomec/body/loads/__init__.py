"""What the joints carry: inverse dynamics by Newton-Euler and by natural coordinates, and how far to trust it."""
