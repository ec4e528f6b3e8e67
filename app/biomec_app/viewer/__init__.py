"""The 3-D view: a scene without Qt, the widget that shows it, and the time slider."""
