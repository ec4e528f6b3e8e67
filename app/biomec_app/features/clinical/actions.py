"""What the menus offer for clinicians: curves in grids, norm data, visits and the report.

Those of the menus File and Edit stand in the tables of the shell, which give them their places.
"""

from __future__ import annotations

from biomec_app.session.action import SEPARATOR, Action, needs_recording
from biomec_app.session.context import Context

VISUALIZE = "Visualize"


def edit_norms(context: Context) -> None:
    """Open the dialog of norm data."""
    from biomec_app.features.clinical.norm_data import NormDataDialog
    from biomec_app.kit.dialog_parts import opened

    opened(NormDataDialog(context, context.window))


def open_visit_folder(context: Context) -> None:
    """Ask for the folder of a visit, and open it."""
    from biomec_app.features.clinical.visit_opening import ask_and_open_visit

    ask_and_open_visit(context)


def write_report(context: Context) -> None:
    """Open the window of the report."""
    from biomec_app.features.clinical.report_dialog import open_report

    open_report(context)


def _open(tab: str, context: Context) -> None:
    from biomec_app.features.clinical.window import open_clinical

    open_clinical(context, tab)


KINEMATICS = Action(
    "visualize.clinical.kinematics", VISUALIZE, "Clinical &Kinematics", lambda context: _open("kinematics", context),
    "Angles of pelvis, hip, knee and ankle over the gait cycle of each side, with a norm", "Ctrl+Shift+K",
    needs_recording,
)  # fmt: skip
KINETICS = Action(
    "visualize.clinical.kinetics", VISUALIZE, "Clinical K&inetics", lambda context: _open("kinetics", context),
    "Moments and power of hip, knee and ankle over the gait cycle of each side, with a norm", "Ctrl+Shift+D",
    needs_recording,
)  # fmt: skip
ACTIONS: tuple[Action, ...] = (
    KINEMATICS,
    KINETICS,
    Action("visualize.clinical.separator", VISUALIZE, SEPARATOR, None),
)
TOOLS: tuple[Action, ...] = (
    Action("clinical", KINEMATICS.menu, "Clinical", KINEMATICS.run, KINEMATICS.help, KINEMATICS.shortcut,
           KINEMATICS.blocked),
    Action("report", "File", "Report", write_report, "The clinical report: texts, pages, and the file that they become",
           "Ctrl+P", needs_recording),
)  # fmt: skip
