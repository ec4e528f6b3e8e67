"""The open recording and what the window knows of it: document, background work, preferences, view options."""
