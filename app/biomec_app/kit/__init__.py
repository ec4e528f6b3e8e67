"""What every part of the window is made of: theme, colours, words, painted widgets, small parts of dialogs."""
