"""The analysis as a whole: steps and their order, settings, progress, cancel, provenance, files to take away."""
