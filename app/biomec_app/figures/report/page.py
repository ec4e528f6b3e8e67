"""`report.html`: one file with everything in it, to be read on a screen or printed on paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from biomec.base.notices import NoticeGroup
from biomec.base.plain_text import html
from biomec.reporting.content.report import PROVENANCE, RECORDING, SUBJECT, ReportContent
from biomec.reporting.tables import Section, Table
from biomec_app.figures.report.markup import captioned, cards, document, image, note, paragraphs

LONG = 30  # rows beyond which a table of names and values is set in columns
REMARK = "Angles and distances are estimates of a model; judge them with the quality figures above."


@dataclass(frozen=True)
class Picture:
    """A PNG file, and what it shows, in words for those who cannot see it."""

    path: Path
    text: str


def page(content: ReportContent, pictures: Mapping[str, Picture], missing: str = "") -> str:
    """The whole page.

    pictures : section title, or "figure" -> its picture, put into the page itself
    missing  : why there is no picture of the body, if there is none
    """
    parts = [_head(content)]
    subject, recording = content.section(SUBJECT), content.section(RECORDING)
    if subject is not None and recording is not None:
        parts.append(f'<div class="pair"><div>{_section(subject)}</div><div>{_section(recording)}</div></div>')
    if "figure" in pictures:
        parts.append(f'<div class="figure">{_image(pictures["figure"])}</div>')
    elif missing:
        parts.append(note(missing))
    for section in content.sections:
        if section.title == PROVENANCE:
            parts.append(_notices(content.notices))
        if section not in (subject, recording):
            parts.append(_section(section, pictures.get(section.title)))
    return document(f"{content.title}, {content.subtitle}", "\n".join(parts), REMARK)


def _head(content: ReportContent) -> str:
    head = f"<header><h1>{html(content.title)}</h1><p>{html(content.subtitle)}</p></header>"
    return f"{head}\n{cards(content.highlights)}{_first(content)}"


def _first(content: ReportContent) -> str:
    """The notices that a reader must not miss."""
    items = "".join(f'<li class="{one.severity.value}">{html(one.sentence)}</li>' for one in content.leading)
    return f'\n<ul class="notices">{items}</ul>' if items else ""


def _section(section: Section, picture: Picture | None = None) -> str:
    parts = [f"<h2>{html(section.title)}</h2>", paragraphs(section.sentences)]
    if picture is not None:
        parts.append(_image(picture))
    parts += [_table(table) for table in section.tables]
    body = "\n".join(parts)
    kind = ' class="small"' if section.title == PROVENANCE else ""
    return f"<section{kind}>\n{body}\n</section>"


def _table(table: Table) -> str:
    if len(table.rows) > LONG and len(table.columns) == 3:
        title = f"<h3>{html(table.caption)}</h3>" if table.caption else ""
        return f"{title}{_long(table)}{note(table.note)}"
    return captioned(table)


def _long(table: Table) -> str:
    """A long table of names and values in narrow columns, what differs from the rule in bold."""
    items = "".join(
        f"<li>{html(name)} = {'<b>' + html(value) + '</b>' if mark else html(value)}</li>"
        for name, value, mark in table.rows
    )
    rule = "Bold: changed from the default. " if any(row[2] for row in table.rows) else "All as by default. "
    return f'<p class="note">{rule}</p><ul class="long">{items}</ul>'


def _notices(groups: tuple[NoticeGroup, ...]) -> str:
    parts = ['<section><h2 id="notices">Notices</h2>']
    for group in groups:
        items = "".join(f"<li>{html(one.sentence)}</li>" for one in group.notices)
        parts.append(
            f'<div class="{group.severity.value}"><h3>{html(group.title)}</h3>'
            f'<p class="note">{html(group.meaning)}</p><ul class="notices">{items}</ul></div>'
        )
    if not groups:
        parts.append("<p>There is nothing to report.</p>")
    return "\n".join([*parts, "</section>"])


def _image(picture: Picture) -> str:
    return image(picture.path.read_bytes(), picture.text)
