"""The main window: menus and actions, files, autosave, browser, start page."""
