"""The page about trust in muscle forces as rich text. Knows no Qt."""

from __future__ import annotations

from biomec.base.notices import Grade
from biomec.base.plain_text import html
from biomec.body.muscles.muscle_sensitivity import MuscleSensitivity
from biomec.body.muscles.muscle_trust import MuscleTrust
from biomec.body.muscles.sharing_options import CRITERIA
from biomec.pipeline.analysis import Analysis
from biomec.reporting.content.implants import implant_sentences
from biomec_app.curves.curve import capital
from biomec_app.features.muscles.readings import MuscleReadings
from biomec_app.kit.theme import Theme

SIGNS = {Grade.GOOD: "✓", Grade.CHECK: "!", Grade.POOR: "✕", Grade.NOT_JUDGED: "–"}
FEW = 5  # muscles that a line names


def tint_of(grade: Grade, theme: Theme) -> str:
    """Colour of a grade."""
    return {Grade.GOOD: theme.contact, Grade.CHECK: theme.rebuilt, Grade.POOR: theme.failed}.get(grade, theme.faint)


def verdict_text(trust: MuscleTrust, stale: bool, theme: Theme) -> str:
    """The verdict, and whether it is out of date."""
    old = "<br><i>Settings have changed since; compute the muscle forces again.</i>" if stale else ""
    head, _, rest = trust.verdict.partition(". ")
    tint = tint_of(trust.grade, theme)
    return (
        f'<span style="color:{tint}; font-weight:bold">{SIGNS[trust.grade]}</span>&nbsp; <b>{html(head)}.</b> '
        f"{html(rest)}<br>{trust.solved} of {trust.frames} frames are solved exactly.{old}"
    )


def facts_text(analysis: Analysis, readings: MuscleReadings) -> str:
    """Muscles at their limits, sockets, scaling, criterion and sources, a line each."""
    found, trust = analysis.muscles, analysis.muscles.trust
    lines = [html(sentence) for sentence in implant_sentences(analysis)]
    for words, shares in trust.states.items():
        named = [f"{readings.muscle(name).sided_title} ({100.0 * share:.0f} %)" for name, share in shares.items()]
        more = f" and {len(named) - FEW} more" if len(named) > FEW else ""
        lines.append(f"<b>{html(capital(words))}</b>, share of the frames: {html('; '.join(named[:FEW]))}{more}.")
    for joint, share in trust.slips.items():
        lines.append(f"The {html(joint)} joint is not held in its socket in {100.0 * share:.0f} % of the frames.")
    lines += [html(one.sentence) for one in readings.forces.shortages[:FEW]]
    if trust.clipped:
        lines.append(f"Scaling was limited for {html(', '.join(trust.clipped))}: this person is far from the source.")
    if trust.unknown:
        lines.append(f"Lengths are missing for the scaling of {html(', '.join(trust.unknown))}.")
    if found.fitted.left_out:
        reasons = list(dict.fromkeys(found.fitted.left_out.values()))
        more = "; and others" if len(reasons) > FEW else ""
        lines.append(
            f"{len(found.fitted.left_out)} muscles of the set are left out: {html('; '.join(reasons[:FEW]))}{more}."
        )
    options = readings.forces.options
    lines.append(
        f"{len(readings.muscles)} muscles of the set {html(found.set_name)} share the torques by "
        f"{html(CRITERIA[options.criterion][0])}. Sources: {html('; '.join(one.title for one in found.sources))}."
    )
    lines.append(
        "Sharing finds the least effort that carries the movement. It does not know of muscles that work against each "
        "other to stiffen a joint, so that forces are rather too small than too large."
    )
    return "<br>".join(f"• {line}" for line in lines)


def sensitivity_text(found: MuscleSensitivity, theme: Theme) -> str:
    """A row for each other assumption."""
    head = "".join(
        f'<td align="right" style="color:{theme.faint}; padding-left:8px">{text}</td>'
        for text in ("contact force", "activations", "reserve")
    )
    rows = [f'<tr><td style="color:{theme.faint}">If …</td>{head}</tr>']
    for one in found.assumptions:
        joint, change = one.largest
        contact = f"{html(joint)} {100.0 * change:+.0f} %".replace("-", "−") if joint else "–"
        solved = "" if one.solved > 0.999 else f", {100.0 * one.solved:.0f} % solved"
        rows.append(
            f'<tr><td>{html(one.title)}{solved}</td><td align="right" style="padding-left:8px">{contact}</td>'
            f'<td align="right" style="padding-left:8px">±{100.0 * one.activation:.0f} %</td>'
            f'<td align="right" style="padding-left:8px">{one.reserve_Nm:.1f} N·m</td></tr>'
        )
    note = (
        f'<div style="color:{theme.faint}; font-size:8pt">Greatest change of a peak contact force, mean change of '
        f"activations, greatest torque that no muscle carries; {found.frames} frames, the hardest among them. Joints "
        "whose torque is lacking are left out.</div>"
    )
    return f"<b>Other assumptions</b><table cellspacing=0 cellpadding=1>{''.join(rows)}</table>{note}"
