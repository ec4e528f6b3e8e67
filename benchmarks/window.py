"""How fast the window follows time: pictures a second, beside the monitor's usual rate; what updating alone takes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from time import perf_counter

SIZE = (1280, 720)
WANTED = 30.0  # pictures a second on software OpenGL
SECONDS = 3.0


def print_window() -> None:
    """Play the demonstration in the 3-D view, with the usual overlays and with all of them."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")
    try:
        from PySide6.QtWidgets import QApplication

        from biomec_app.context import Context
        from biomec_app.document import Document
        from biomec_app.jobs import Jobs
        from biomec_app.preferences import Preferences
        from biomec_app.viewer.overlays import OVERLAYS
        from biomec_app.viewer.view import BodyView
    except ImportError as error:
        print(f"\nThe window: not measured, because the desktop part is not installed ({error}).")
        return
    from biomec.pipeline.demo import run_demo

    application = QApplication.instance() or QApplication([])
    with tempfile.TemporaryDirectory() as folder:
        context = Context(Document(), Jobs(), Preferences(Path(folder) / "window.ini"))
        analysis = run_demo(Path(folder)).analysis
        view = BodyView(context)
        view.resize(*SIZE)
        view.show()
        context.document.open(analysis)
        for _ in range(100):
            application.processEvents()
        print(f"\nThe 3-D view at {SIZE[0]} × {SIZE[1]}, drawn by software, pictures a second ({WANTED:g} are wanted):")
        for what, overlays in (
            ("usual overlays", context.document.view.overlays),
            ("all overlays", frozenset(OVERLAYS)),
        ):
            context.document.set_view(overlays=overlays)
            view.repaint()
            began, count = perf_counter(), 0
            while perf_counter() - began < SECONDS:
                count += 1
                context.document.set_frame(100 + count % 1500)
                application.processEvents()
                view.repaint()
            rate = count / (perf_counter() - began)
            print(f"  {what:16s} {rate:5.1f}, {rate / WANTED:4.2f} of what is wanted")
        for close in context.closing:
            close()
        view.close()
    application.processEvents()


if __name__ == "__main__":
    print_window()
