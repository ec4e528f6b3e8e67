"""Run an item of the menus, and wait until its work is done."""


def idle(qtbot, window):
    qtbot.waitUntil(lambda: not window.context.jobs.busy, timeout=60000)


def run(qtbot, window, key):
    window.menus.run(key)
    idle(qtbot, window)
