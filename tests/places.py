"""Where the checkout and its documentation are, for tests that read files of theirs."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
