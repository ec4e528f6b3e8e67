"""The verdict about loads as rich text: the verdict, contacts, residual beside limits, places to look at."""

from __future__ import annotations

from biomec.base.plain_text import html
from biomec_app.features.loads.trust_content import COLUMNS, LoadTrustPage
from biomec_app.kit.theme import Theme

SIGNS = {"good": "✓", "check": "!", "poor": "✕", "not judged": "–"}


def tints_of(theme: Theme) -> dict[str, str]:
    """Grade -> colour."""
    return {"good": theme.contact, "check": theme.rebuilt, "poor": theme.failed, "not judged": theme.faint}


def verdict_text(page: LoadTrustPage, theme: Theme) -> str:
    """The verdict, and whether it is out of date."""
    stale = "<br><i>Settings have changed since; compute the loads again.</i>" if page.stale else ""
    tint = tints_of(theme)[page.level]
    return (
        f'<span style="color:{tint}; font-weight:bold">{SIGNS[page.level]}</span>&nbsp; '
        f"<b>{html(page.advice)}</b> {html(page.verdict)}{stale}"
    )


def facts_text(page: LoadTrustPage) -> str:
    """Facts, one a line."""
    return "<br>".join(f"• {html(fact)}" for fact in page.facts)


def places_text(page: LoadTrustPage, theme: Theme) -> str:
    """Places to look at; links have the number of the place."""
    rows = "".join(
        f'<tr><td style="color:{theme.faint}; padding-right:8px">{html(one.title)}</td><td>'
        + (f'<a href="{k}" style="color:{theme.accent}">{html(one.words)}</a>' if one.frame is not None
           else html(one.words))
        + "</td></tr>"
        for k, one in enumerate(page.places)
    )  # fmt: skip
    return f"<table cellspacing=0 cellpadding=1>{rows}</table>"


def steps_text(page: LoadTrustPage, theme: Theme) -> str:
    """Contacts with plates, each with its joints and their expected errors, in the colours of their grades."""
    tints, rows = tints_of(theme), []
    for k, step in enumerate(page.steps):
        joints = ", ".join(f'<span style="color:{tints[grade]}">{_held(text)}</span>' for text, grade in step.joints)
        rows.append(
            f'<tr><td style="color:{tints[step.grade]}; padding-right:5px"><b>{SIGNS[step.grade]}</b></td>'
            f'<td style="padding-right:10px"><a href="{k}" title="{html(step.sentence)}" '
            f'style="color:{theme.accent}">{_held(step.title)}</a></td>'
            f'<td style="padding-right:10px">{html(step.words)}</td><td>{joints}</td></tr>'
        )
    note = f'<div style="color:{theme.faint}; font-size:8pt">Joints: expected error of their moments, N·m/kg</div>'
    return f"<table cellspacing=0 cellpadding=1>{''.join(rows)}</table>" + note * any(s.joints for s in page.steps)


def residual_text(page: LoadTrustPage, theme: Theme) -> str:
    """The residual beside the limits, exceeded ones in red."""
    head = "".join(
        f'<td align="right" style="color:{theme.faint}; padding-left:10px">{html(text)}</td>' for text in COLUMNS[1:]
    )
    rows = [f'<tr><td style="color:{theme.faint}">{_held("Residual, N and N·m")}</td>{head}</tr>']
    for row in page.rows:
        cells = "".join(
            f'<td align="right" style="color:{theme.fault if kept is False else theme.text}; padding-left:10px">'
            f"{'<b>' if kept is None else ''}{html(text)}{'</b>' if kept is None else ''}</td>"
            for text, kept in row.cells
        )
        verdict = "" if row.kept is None or row.name == "Here" else "kept" if row.kept else "exceeded"
        colour = theme.fault if verdict == "exceeded" else theme.faint
        rows.append(
            f'<tr><td>{_held(row.name)}</td>{cells}<td style="color:{colour}; padding-left:10px">{verdict}</td></tr>'
        )
    sources = "; ".join(f"{row.name}: {row.source}" for row in page.rows[1:])
    if sources and page.rows[1].kept is None:
        sources = f"Limits are meant for what residual reduction leaves; here they judge nothing. {sources}"
    note = f'<div style="color:{theme.faint}; font-size:8pt">{html(sources)}</div>' if sources else ""
    return f"<table cellspacing=0 cellpadding=1>{''.join(rows)}</table>{note}"


def _held(words: str) -> str:
    """Words that are not broken into lines."""
    return html(words).replace(" ", "&nbsp;")
