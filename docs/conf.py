"""Settings of the documentation; `make docs` builds it, and a warning is an error."""

from biomec import __version__

project = "Biomec"
author = "Biomec developers"
copyright = "Biomec developers"
release = __version__

extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"Biomec {release}"
