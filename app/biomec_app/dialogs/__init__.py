"""Dialogs: import, mapping, plates, settings, configuration."""
