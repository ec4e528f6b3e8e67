"""What a report says about itself, as blocks of a page, so that every writer puts the same there."""

from __future__ import annotations

from dataclasses import replace

from biomec.reporting.clinical.blocks import Block, ClinicalReport, Page, Words
from biomec.reporting.tables import Table

MEASURED = "measured"  # kind of the page on which they stand; without it, the last one


def pages_with_remarks(report: ClinicalReport) -> tuple[Page, ...]:
    """The pages of a report, at least one; one of them also lists the pages left out and the notices."""
    pages = report.pages or (Page("summary", report.title, ()),)
    at = next((k for k, page in enumerate(pages) if page.kind == MEASURED), len(pages) - 1)
    with_remarks = replace(pages[at], blocks=(*pages[at].blocks, *_remarks(report)))
    return (*pages[:at], with_remarks, *pages[at + 1 :])


def _remarks(report: ClinicalReport) -> list[Block]:
    blocks: list[Block] = []
    if report.left_out:
        rows = tuple((one.title, one.reason) for one in report.left_out)
        blocks.append(Table("Pages left out", ("Page", "Why"), rows))
    if report.notices:
        blocks.append(Words(report.notices, "About this report"))
    return blocks
