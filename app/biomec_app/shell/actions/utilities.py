"""Menu Utilities: configuration, and how the plots are shown."""

from __future__ import annotations

from collections.abc import Callable

from biomec_app.kit.dialog_parts import opened
from biomec_app.session.action import SEPARATOR, Action, needs_recording
from biomec_app.session.context import Context
from biomec_app.session.plot_view import TIME

MENU = "Utilities"


def _needs_plots(context: Context) -> str | None:
    reason = needs_recording(context)
    if reason is None and not context.document.selection.curves:
        reason = "Nothing is plotted: choose signals first."
    return reason


def _needs_time(context: Context) -> str | None:
    reason = _needs_plots(context)
    if reason is None and context.plots.view.over != TIME:
        reason = "The plots show cycles; show them over time first."
    return reason


def _configuration(context: Context) -> None:
    from biomec_app.dialogs.configuration import ConfigurationDialog

    opened(ConfigurationDialog(context, context.window))


def _set_scale(context: Context) -> None:
    from biomec_app.dialogs.set_scale import SetScaleDialog

    opened(SetScaleDialog(context, context.window))


def _switch(key: str, text: str, help: str, field: str, shortcut: str = "") -> Action:
    """Item that turns a choice of the plots on or off."""

    def run(context: Context) -> None:
        context.plots.set(**{field: not getattr(context.plots.view, field)})

    return Action(
        f"utilities.{key}", MENU, text, run, help, shortcut, needs_recording,
        lambda context: bool(getattr(context.plots.view, field)),
    )  # fmt: skip


def _item(
    key: str, text: str, help: str, run: Callable[[Context], None], shortcut: str = "",
    blocked: Callable[[Context], str | None] = _needs_time,
) -> Action:  # fmt: skip
    return Action(f"utilities.{key}", MENU, text, run, help, shortcut, blocked)


ACTIONS: tuple[Action, ...] = (
    _item("configuration", "&Configuration…", "What is known of the recording, its model and its signals",
          _configuration, "F2", needs_recording),
    Action("utilities.separator.scale", MENU, SEPARATOR, None),
    _item("set-scale", "&Set Scale…", "Choose the time window and the range of values of all plots", _set_scale),
    _switch("grid", "&Grid", "Draw lines of equal time and value", "grid", "Ctrl+Shift+G"),
    _switch("spots", "&Draw Spots", "Draw every sample as a point", "spots"),
    _item("match", "&Match Screen", "Bring every plot to the shortest visible stretch of time",
          lambda c: c.plots.match(), "Ctrl+M"),
    _item("restore", "&Restore Screen", "Show everything again", lambda c: c.plots.restore(), "Ctrl+R"),
    _switch("cycles", "Show &Cycles", "Mark where cycles begin and where their phase changes", "cycles"),
    _item("forward", "Shift &Forward", "Move all plots one window ahead", lambda c: c.plots.shift(1), "Ctrl+PgDown"),
    _item("backward", "Shift &Backward", "Move all plots one window back", lambda c: c.plots.shift(-1), "Ctrl+PgUp"),
    _switch("measure", "D&ot Measure", "Show the coordinates of the samples that are clicked", "measure",
            "Ctrl+Shift+M"),
    Action("utilities.separator.more", MENU, SEPARATOR, None),
    _item("zoom-in", "Zoom &In", "Show half the time", lambda c: c.plots.zoom(0.5), "Ctrl++"),
    _item("zoom-out", "&Zoom Out", "Show twice the time", lambda c: c.plots.zoom(2.0), "Ctrl+-"),
    _switch("events", "Show &Events", "Mark the events of the recording", "events"),
    _switch("norm", "Show &Norm", "Draw the norm behind angles, moments and powers of a walk, over the cycle", "norm"),
    _switch("linked", "&Link Time Axes", "Let all plots show the same time", "linked"),
    _item("clear-points", "Clear Measured &Points", "Take the measured points away",
          lambda c: c.plots.points_cleared.emit(), blocked=_needs_plots),
)  # fmt: skip
