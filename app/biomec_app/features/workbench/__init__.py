"""The workbench: machines chosen or described, moved, asked, and compared."""
