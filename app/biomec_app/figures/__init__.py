"""Figures of an analysis, each a window of its own: one module a figure, drawn without Qt, shown by `window`."""
