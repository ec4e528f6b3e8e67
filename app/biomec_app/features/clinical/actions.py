"""Menu items of the clinical side: norm data, clinical plots, visits and the report."""

from __future__ import annotations

from biomec_app.session.action import Action
from biomec_app.session.context import Context


def _norms(context: Context) -> None:
    from biomec_app.features.clinical.norm_data import edit_norms

    edit_norms(context)


ACTIONS: tuple[Action, ...] = (
    Action("edit.norms", "Edit", "&Norm Data…", _norms,
           "Sets of people without complaints behind clinical curves: choose, import, make or remove"),
)  # fmt: skip
