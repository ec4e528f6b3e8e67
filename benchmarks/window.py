"""How fast the window follows time: pictures a second, beside the monitor's usual rate; what updating alone takes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from time import perf_counter

SIZE = (1280, 720)
PANEL = (420, 720)  # the plots beside it
WANTED = 30.0  # pictures a second on software OpenGL
UPDATE_MS = 4.0  # for scene and plot cursor, without drawing
SECONDS = 3.0
LONG = 9000  # frames of a long recording


def print_window() -> None:
    """Play the demonstration in the 3-D view, with the usual overlays and with all of them; scrub a long recording."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")
    try:
        from PySide6.QtWidgets import QApplication

        import biomec_app.features.table  # noqa: F401 - makes the overlays and curves of all features known
        from biomec_app.plots.plots import PlotPanel
        from biomec_app.session.context import Context
        from biomec_app.session.document import Document
        from biomec_app.session.jobs import Jobs
        from biomec_app.session.preferences import Preferences
        from biomec_app.viewer.overlays import OVERLAYS
        from biomec_app.viewer.timeline import Timeline
        from biomec_app.viewer.view import BodyView
    except ImportError as error:
        print(f"\nThe window: not measured, because the desktop part is not installed ({error}).")
        return
    from biomec.io.session_import import import_session
    from biomec.pipeline.analysis import Analysis
    from biomec.reporting.demo import run_demo
    from biomec.virtual import DEMO, VirtualPerson, push_up, record, write_acquisition

    application = QApplication.instance() or QApplication([])
    with tempfile.TemporaryDirectory() as folder:
        context = Context(Document(), Jobs(), Preferences(Path(folder) / "window.ini"))
        analysis = run_demo(Path(folder)).analysis
        view, timeline, plots = BodyView(context), Timeline(context), PlotPanel(context)
        view.resize(*SIZE)
        plots.resize(*PANEL)
        for widget in (view, timeline, plots):
            widget.show()
        context.document.open(analysis)
        for _ in range(100):
            application.processEvents()
        print(f"\nThe 3-D view at {SIZE[0]} × {SIZE[1]}, drawn by software, pictures a second ({WANTED:g} are wanted):")

        def pictures(what: str, step: int) -> None:
            """Move through time as fast as pictures come; nothing is counted that was not drawn."""
            frames = context.document.frames
            drawn: list[float] = []
            began, frame = perf_counter(), 0
            while perf_counter() - began < SECONDS:
                frame = (frame + step) % frames
                context.document.set_frame(frame)
                application.processEvents()
                if not view._stale and view._image is not None:
                    drawn.append(view._image.width() / view.width())
            rate = len(drawn) / (perf_counter() - began)
            fine = sum(drawn) / max(1, len(drawn))
            print(f"  {what:34s} {rate:5.1f}, {rate / WANTED:4.2f} of what is wanted, at {fine:.2f} of the resolution")

        def update(what: str) -> None:
            """What a new frame takes in the scene, the slider and the plots' cursors, without drawing; the median."""
            times = []
            for frame in range(100, 300):
                began = perf_counter()
                context.document.set_frame(frame)
                times.append(1000.0 * (perf_counter() - began))
            middle = sorted(times)[len(times) // 2]
            print(f"  {what:34s} {middle:5.2f} ms to update, {middle / UPDATE_MS:4.2f} of what is allowed")

        for what, overlays in (
            ("usual overlays", context.document.view.overlays),
            ("all overlays", frozenset(OVERLAYS)),
        ):
            context.document.set_view(overlays=overlays)
            pictures(what, 3)
            update(what)
        cycles = round(5 * LONG / analysis.session.dynamic.frames)
        long = record(push_up("closed", cycles=cycles), VirtualPerson(), DEMO)
        files = write_acquisition(long, Path(folder) / "long")
        session = import_session(files["emt"], subject=long.person.subject)
        context.document.open(Analysis(session).run_until("positions"))
        pictures(f"all overlays, {context.document.frames} frames scrubbed", 97)
        for close in context.closing:
            close()
        for widget in (view, timeline, plots):
            widget.close()
    application.processEvents()


if __name__ == "__main__":
    print_window()
