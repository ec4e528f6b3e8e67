"""What the verdicts about a recording say in a few words, and what is open, for places that are always seen. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from biomec.base.errors import BiomecError
from biomec.pipeline.analysis import Analysis
from biomec.reporting.facts import CURRENT, STALE, TODO, count_steps, model_facts, trial_facts
from biomec.reporting.trust import Level, trust

WORDS = {Level.GOOD: "good", Level.CHECK: "check", Level.POOR: "not reliable"}


@dataclass(frozen=True)
class Verdict:
    """How far a result can be trusted.

    panel : name of the panel that tells why
    words : such as "Trust: check"
    tip   : the verdict in whole sentences
    """

    panel: str
    level: Level
    words: str
    tip: str


def verdicts(analysis: Analysis) -> tuple[Verdict, ...]:
    """The verdicts about movement and loads, as far as there are results."""
    found = []
    try:
        fit = trust(analysis)
    except BiomecError:
        return ()
    found.append(_verdict(analysis, "trust", "Trust", fit.level, fit.verdict, "positions"))
    if "loads" in analysis.done:
        loads = analysis.loads.trust
        found.append(_verdict(analysis, "loads", "Loads", Level(loads.level), loads.verdict, "loads"))
    return tuple(found)


def _verdict(analysis: Analysis, panel: str, title: str, level: Level, sentence: str, step: str) -> Verdict:
    if analysis.is_current(step):
        return Verdict(panel, level, f"{title}: {WORDS[level]}", f"{sentence} Click to see why.")
    older = "Settings have changed since; run the analysis again."
    level = Level.CHECK if level is Level.GOOD else level
    return Verdict(panel, level, f"{title}: {STALE}", f"{sentence} {older}")


def recording_told(analysis: Analysis) -> str:
    """What is open, in a line: recording, frames, rate, model and state of the analysis."""
    recorded = trial_facts(analysis.session.dynamic)
    parts = [recorded["file"].text, recorded["length"].text]
    if "body" in analysis.done:
        model = model_facts(analysis)
        parts.append(f"model {model['name'].value}, {model['segments'].text}")
    if not analysis.done:
        parts.append("not analysed (F5)")
    elif analysis.stale:
        parts.append(f"analysis {STALE} (F5)")
    else:
        todo = count_steps(analysis, TODO)
        parts.append(f"analysis: {todo} step{'s' * (todo > 1)} to do" if todo else f"analysis {CURRENT}")
    return "  ·  ".join(parts)
