"""Names that steps had in versions before 0.2: files written then still open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from biomec.recording import Session

FORMER_NAMES: Mapping[str, str] = {"consistency": "positions", "rates": "motion", "inverse": "loads"}
"""Former name of a step -> its name; settings of an analysis had the same names."""


def renamed(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table by step with today's names; the order stays."""
    return {FORMER_NAMES.get(name, name): value for name, value in table.items()}


def with_names_of_today(session: Session, analysis: str, steps: str) -> Session:
    """Return a stored session in which results, history and settings name the steps as today.

    analysis, steps : keys of the session's settings that hold the settings of the analysis and the steps to run
    """
    settings = dict(session.settings)
    if isinstance(settings.get(analysis), Mapping):
        settings[analysis] = renamed(settings[analysis])
    if steps in settings:
        settings[steps] = tuple(FORMER_NAMES.get(name, name) for name in settings[steps])
    history = tuple(replace(record, step=FORMER_NAMES.get(record.step, record.step)) for record in session.provenance)
    return replace(session, settings=settings, results=renamed(session.results), provenance=history)
