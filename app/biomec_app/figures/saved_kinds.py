"""What a figure can be saved as, in the words of menus and of questions for a file name."""

from __future__ import annotations

SAVED_AS = {"png": "picture (PNG)", "svg": "drawing (SVG)", "pdf": "page (PDF)", "csv": "table (CSV)"}
PATTERNS = {ending: f"{words[0].upper()}{words[1:]} (*.{ending})" for ending, words in SAVED_AS.items()}
SAVE_PATTERN = ";;".join(PATTERNS.values())
