"""Menu Visualize: what the 3-D view shows, from where, measuring in it, and pictures and movies of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from biomec.pipeline.analysis import run_first
from biomec_app.features.feature import Panel
from biomec_app.features.simulations.runs import NONE as NO_RUNS
from biomec_app.features.table import FEATURES
from biomec_app.session.action import SEPARATOR, Action, needs_recording
from biomec_app.session.context import Context
from biomec_app.session.view_options import CONSISTENT, RAW, SIMULATED, View
from biomec_app.shell.actions.biomechanical_signals import ACTIONS as SIGNALS
from biomec_app.shell.panels import PANELS
from biomec_app.viewer.overlays import OVERLAYS

MENU = "Visualize"
STATIC, DYNAMIC = f"{MENU}/Static Acquisition", f"{MENU}/Dynamic Acquisition"
SHOW, SHAPE, SIDE, ARROWS, MEASURE, PANEL = (
    f"{MENU}/{name}" for name in ("Show", "Body As", "View From", "Force Arrows", "Measure", "Panels")
)
BLOCKED = Callable[[Context], str | None]
SIZES = {"As in the window": None, "1920 × 1080": (1920, 1080), "3840 × 2160": (3840, 2160)}


def _needs_model(context: Context) -> str | None:
    reason = needs_recording(context)
    if reason is None and "body" not in context.document.analysis.done:
        reason = run_first("body")
    return reason


def _needs_consistency(context: Context) -> str | None:
    reason = needs_recording(context)
    if reason is None and "positions" not in context.document.analysis.done:
        reason = run_first("positions")
    return reason


def _needs_simulation(context: Context) -> str | None:
    reason = needs_recording(context)
    if reason is None and not context.document.analysis.simulations:
        reason = NO_RUNS
    return reason


def _choice(
    key: str, menu: str, text: str, help: str, blocked: BLOCKED = needs_recording, shortcut: str = "", **changes: object
) -> Action:
    """An item that changes the view, and is checked while the view is like that."""

    def checked(context: Context) -> bool:
        return all(getattr(context.document.view, name) == value for name, value in changes.items())

    return Action(
        f"visualize.{key}", menu, text, lambda c: c.document.set_view(**changes), help, shortcut, blocked, checked,
        group=" ".join(changes),
    )  # fmt: skip


def _overlay(name: str) -> Action:
    kind = OVERLAYS[name]

    def toggle(context: Context) -> None:
        context.document.set_view(overlays=context.document.view.overlays ^ {name})

    def blocked(context: Context) -> str | None:
        return needs_recording(context) or kind.missing(context.document.analysis)

    return Action(
        f"visualize.show.{name.replace(' ', '-')}", SHOW, kind.title, toggle, kind.help, "", blocked,
        lambda context: name in context.document.view.overlays,
    )  # fmt: skip


def actions() -> tuple[Action, ...]:
    """The items of the menu, with one for every overlay that is registered."""
    place = next(k for k, action in enumerate(ACTIONS) if action.menu == SHAPE)
    return (*ACTIONS[:place], *(_overlay(name) for name in OVERLAYS), *ACTIONS[place:])


def bar_menus() -> tuple[tuple[str, tuple[Action, ...]], ...]:
    """What the button "Show" over the 3-D view offers: title of a menu and its items."""
    return tuple(
        ("" if menu == SHOW else menu.rpartition("/")[2], tuple(action for action in actions() if action.menu == menu))
        for menu in (DYNAMIC, SHOW, SHAPE, MEASURE)
    )


def bar_tools() -> tuple[Action, ...]:
    """Items of features that have a button over the 3-D view."""
    return tuple(action for feature in FEATURES for action in feature.tools)


def _side(side: str, text: str, shortcut: str) -> Action:
    help = "See the whole person" if side in ("fit", "oblique") else f"Look at the {side} side"
    key = f"visualize.side.{side.replace(' ', '-')}"
    return Action(key, SIDE, text, lambda c: c.document.camera_asked.emit(side), help, shortcut, needs_recording)


def _measure(kind: str, text: str, help: str, shortcut: str) -> Action:
    def toggle(context: Context) -> None:
        context.document.set_view(measure="" if context.document.view.measure == kind else kind)

    return Action(
        f"visualize.measure.{kind}", MEASURE, text, toggle, help, shortcut, needs_recording,
        lambda context: context.document.view.measure == kind,
    )  # fmt: skip


def _panel(number: int, panel: Panel) -> Action:
    """An item that is checked while a panel is seen; choosing it brings the panel to the front, or closes it."""
    return Action(
        f"visualize.panel.{panel.name}", PANEL, panel.title, lambda context: context.user.show_panel(panel.name),
        "Bring the panel to the front; if it is there, close it", f"Alt+{number}" if number < 10 else "",
        needs_recording, lambda context: context.user.panel_seen(panel.name),
    )  # fmt: skip


def _follow(context: Context) -> None:
    context.document.set_view(follow=not context.document.view.follow)


# ------------------------------------------------------------------------------------------------- pictures and movies
def _not_busy(context: Context) -> str | None:
    reason = needs_recording(context)
    if reason is None and context.camera is None:
        reason = "There is no 3-D view."
    if reason is None and context.jobs.busy:
        reason = f'"{context.jobs.title}" is running.'
    return reason


def _with_suffix(path: Path, *suffixes: str) -> Path:
    return path if path.suffix.lower() in suffixes else path.with_name(path.name + suffixes[0])


def save_picture(context: Context) -> None:
    """Ask for a size and a file, and draw the picture in the background."""
    from biomec_app.viewer.export import Shot, save_picture

    document = context.document
    chosen = context.user.confirm("Save picture", "How large shall the picture be?", tuple(SIZES))
    if chosen is None or context.camera is None:
        return
    path = context.user.ask_file(
        "Save picture",
        "Picture (*.png)",
        True,
        f"frame {document.analysis.session.dynamic.first_frame + document.frame}.png",
    )
    if path is None:
        return
    path = _with_suffix(path, ".png")
    shot = Shot(
        document.analysis, context.theme, document.view, context.camera.copy(), SIZES[chosen] or context.camera.size,
        (document.frame, document.frame),
    )  # fmt: skip
    context.jobs.start("Save picture", lambda progress: save_picture(shot, path, progress), lambda _: None)


def save_movie(context: Context) -> None:
    """Ask for part, speed, size and file, and draw the movie in the background."""
    from biomec_app.dialogs.movie import ask_movie

    ask_movie(context)


DEFAULT = View()
ACTIONS: tuple[Action, ...] = (
    _choice("static.whole", STATIC, "&Whole Body", "The static pose, one colour a side", _needs_model,
            static=True, coloured=False, single=False),
    _choice("static.single", STATIC, "Whole Body, &One Colour", "The static pose, all segments in one colour",
            _needs_model, static=True, coloured=False, single=True),
    _choice("static.multi", STATIC, "&Multi-Body", "The static pose, every segment in its own colour", _needs_model,
            static=True, coloured=True, single=False),
    _choice("dynamic.raw", DYNAMIC, "&Raw", "The movement as measured", needs_recording, "",
            static=False, signals=(RAW,)),
    _choice("dynamic.consistent", DYNAMIC, "&Consistent", "The movement that obeys the model", _needs_consistency, "",
            static=False, signals=(CONSISTENT,)),
    _choice("dynamic.both", DYNAMIC, "Compare Raw &and Consistent",
            "The consistent movement, and the measured one as lines", _needs_consistency, "",
            static=False, signals=(RAW, CONSISTENT)),
    _choice("dynamic.simulated", DYNAMIC, "&Simulated", "The simulated movement", _needs_simulation, "",
            static=False, signals=(SIMULATED,)),
    _choice("dynamic.simulated-both", DYNAMIC, "Compare Simulated and Consis&tent",
            "The simulated movement, and the consistent one as lines", _needs_simulation, "",
            static=False, signals=(SIMULATED, CONSISTENT)),
    _choice("dynamic.simulated-raw", DYNAMIC, "Compare Simulated and Ra&w",
            "The simulated movement, and the measured one as lines", _needs_simulation, "",
            static=False, signals=(SIMULATED, RAW)),
    Action("visualize.dynamic.separator", DYNAMIC, SEPARATOR, None),
    _choice("dynamic.whole", DYNAMIC, "&Whole Body", "One colour a side", _needs_model, coloured=False,
            single=False),
    _choice("dynamic.single", DYNAMIC, "Whole Body, &One Colour", "All segments in one colour", _needs_model,
            coloured=False, single=True),
    _choice("dynamic.multi", DYNAMIC, "&Multi-Body", "Every segment in its own colour", _needs_model, coloured=True,
            single=False),
    *SIGNALS,
    Action("visualize.separator-1", MENU, SEPARATOR, None),
    _choice("shape.lines", SHAPE, "&Lines", "Sticks and joints", _needs_model, shape="lines"),
    _choice("shape.capsules", SHAPE, "&Capsules", "Rounded limbs, head and trunk", _needs_model, shape="capsules"),
    _choice("shape.ellipsoids", SHAPE, "&Ellipsoids", "Every segment as the solid that has its mass and inertia",
            _needs_model, shape="ellipsoids"),
    *(_choice(f"arrows.{scale:g}", ARROWS, f"{1000.0 / scale:g} N a &metre", "Length of force arrows",
              force_scale=scale) for scale in (0.5, 1.0, 2.0, 4.0)),
    Action("visualize.separator-2", MENU, SEPARATOR, None),
    _side("frontal", "&Front", "Ctrl+1"),
    _side("lateral right", "&Right Side", "Ctrl+2"),
    _side("lateral left", "&Left Side", "Ctrl+3"),
    _side("posterior", "&Back", "Ctrl+4"),
    _side("superior", "&Above", "Ctrl+5"),
    _side("oblique", "&Oblique", "Ctrl+0"),
    _side("fit", "&Zoom to Fit", "Ctrl+F"),
    Action("visualize.follow", MENU, "&Follow the Body", _follow, "The camera goes along with the person", "",
           needs_recording, lambda context: context.document.view.follow),
    _measure("distance", "&Distance", "Click two points", "Ctrl+D"),
    _measure("angle", "&Angle", "Click three points; the angle is at the second", "Ctrl+G"),
    Action("visualize.separator-3", MENU, SEPARATOR, None),
    Action("visualize.picture", MENU, "Save &Picture…", save_picture, "Save the 3-D view as a picture", "",
           _not_busy),
    Action("visualize.movie", MENU, "Save &Movie…", save_movie, "Save the movement as MP4 or GIF", "", _not_busy),
    Action("visualize.separator-4", MENU, SEPARATOR, None),
    *(_panel(number, panel) for number, panel in enumerate(PANELS, 1)),
)  # fmt: skip
