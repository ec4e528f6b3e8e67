"""Clinical plots on any paint device: grids of curves, bars, paths of the centre of pressure; what is at a point."""
