"""Menu Signal Analysis: the figures and tables of an analysis, and the user's own functions."""

from __future__ import annotations

from biomec.base.errors import BiomecError
from biomec.pipeline.analysis import run_first
from biomec.reporting.statistics.conditions import MOST, places
from biomec_app.figures.kind import FigureKind
from biomec_app.figures.registry import figure_groups
from biomec_app.figures.tables import Summary, summaries
from biomec_app.session.action import SEPARATOR, Action, needs_idle_recording, needs_recording
from biomec_app.session.approvals import Approvals
from biomec_app.session.context import Context
from biomec_app.session.plot_view import MEAN
from biomec_app.session.project_file import PROJECTS
from biomec_app.shell.extensions import Extension, Loaded, extension_folder, run_extension

MENU = "Signal Analysis"
OWN = f"{MENU}/Own Functions"
ASK_AGAIN = "Ask Again at the Next Start"
CHECKS = f"{MENU}/&Numerical Checks"


def figure_action(kind: FigureKind, menu: str = MENU) -> Action:
    """Item that opens a figure."""

    def run(context: Context) -> None:
        from biomec_app.figures.window import open_figure

        open_figure(context, kind)

    def blocked(context: Context) -> str | None:
        return needs_recording(context) or kind.blocked(context.document.analysis)

    return Action(f"figures.{kind.key}", menu, kind.title, run, kind.help, blocked=blocked)


def summary_action(summary: Summary, menu: str = MENU) -> Action:
    """Item that opens a page of tables."""

    def run(context: Context) -> None:
        from biomec_app.figures.tables import open_tables

        open_tables(context, summary.title, summary.make(context.document.analysis), summary.make)

    def blocked(context: Context) -> str | None:
        return needs_recording(context) or summary.blocked(context.document.analysis)

    return Action(f"signals.{summary.key}", menu, summary.title, run, summary.help, blocked=blocked)


def _figures(menu: str, check: bool) -> tuple[Action, ...]:
    """Items of the figures that show the movement, or of those that check numbers and methods."""
    found: list[Action] = []
    for group, kinds in figure_groups().items():
        items = [figure_action(kind, menu) for kind in kinds if kind.check is check]
        found += (
            [*items, Action(f"figures.{'checks.' if check else ''}{group}.separator", menu, SEPARATOR, None)]
            if items
            else []
        )
    return tuple(found[:-1])


def _compare(context: Context) -> None:
    path = context.user.ask_file("Compare with a recording", PROJECTS, False, context.preferences.folder)
    if path is None:
        return
    try:
        context.comparison.add(path, lambda: context.plots.set(over=MEAN))
    except BiomecError as error:
        context.user.fail("Compare with Recording", str(error))


def _compare_blocked(context: Context) -> str | None:
    reason = needs_idle_recording(context)
    if reason is None and "cycles" not in context.document.analysis.done:
        reason = run_first("cycles")
    if reason is None and len(places(context.document.analysis.session)) >= MOST:
        reason = f"It is compared with {MOST} recordings already. End the comparison first."
    return reason


def _end_blocked(context: Context) -> str | None:
    reason = needs_recording(context)
    if reason is None and not places(context.document.analysis.session):
        reason = "The recording is not compared with another one."
    return reason


COMPARISON: tuple[Action, ...] = (
    Action("signals.compare", MENU, "Compare with Reco&rding…", _compare,
           "Draw the mean cycle of another recording beside this one, in its own colour", blocked=_compare_blocked),
    Action("signals.compare.end", MENU, "End Com&parison", lambda context: context.comparison.end(),
           "Draw this recording alone again", blocked=_end_blocked),
    Action("signals.compare.separator", MENU, SEPARATOR, None),
)  # fmt: skip


def actions() -> tuple[Action, ...]:
    """The items of the menu, with one for every figure and every page that is registered."""
    return (
        *_figures(MENU, False),
        Action("figures.separator", MENU, SEPARATOR, None),
        *COMPARISON,
        *(summary_action(summary) for summary in summaries()),
        *_figures(CHECKS, True),
    )


# ------------------------------------------------------------------------------------------------- the user's functions
def extra_actions(loaded: Loaded = Loaded()) -> tuple[Action, ...]:
    """Items for the user's own functions, and one that tells where they are and which could not be used."""
    folder = extension_folder()

    def tell(context: Context) -> None:
        count = len(loaded.extensions)
        sentence = (
            f"{count} function{'' if count == 1 else 's'} of your own {'was' if count == 1 else 'were'} loaded from"
        )
        sentence += (
            f"\n{folder}\nA Python file in this folder adds its functions to this menu the next time Biomec starts,"
        )
        sentence += " if you allow it; docs/extending.md tells how."
        words = "\n\n".join([sentence, *loaded.faults])
        if not loaded.refused:
            context.user.tell("Own Functions", words)
        elif context.user.confirm("Own Functions", words, (ASK_AGAIN,)) == ASK_AGAIN:
            try:
                Approvals(context.preferences.approvals_folder).forget_refusals()
            except BiomecError as error:
                context.user.fail("Own Functions", str(error))

    about = "Where your own functions are kept, and which could not be loaded"
    text = "&About Own Functions…" if not loaded.faults else f"&About Own Functions… ({len(loaded.faults)} left out)"
    return (
        *(_own(extension) for extension in loaded.extensions),
        *((Action("own.separator", OWN, SEPARATOR, None),) if loaded.extensions else ()),
        Action("own.about", OWN, text, tell, about),
    )


def _own(extension: Extension) -> Action:
    def run(context: Context) -> None:
        from biomec_app.figures.tables import open_tables

        analysis = context.document.analysis
        context.jobs.start(
            extension.name,
            lambda progress: run_extension(extension, analysis),
            lambda sections: open_tables(context, extension.name, sections),
        )

    return Action(f"own.{extension.name}", OWN, extension.name.replace("&", "&&"), run,
                  extension.help or f"Function of {extension.file}", blocked=needs_recording)  # fmt: skip
