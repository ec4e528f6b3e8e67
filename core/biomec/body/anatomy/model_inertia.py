"""What a model file says of masses, checked before anybody is weighed: rows, their sides and their shares."""

from __future__ import annotations

from collections.abc import Sequence

from biomec.base.toml_table import TomlTable, did_you_mean, shown
from biomec.body.anatomy.inertia_table import GIRDLE, PAIRED, ROWS
from biomec.body.anatomy.model import BodyModel, SegmentDefinition

ROUND_OFF = 1e-9  # of shares such as 0.7 + 0.3


def check_inertia(model: BodyModel, rows: Sequence[tuple[TomlTable, SegmentDefinition]]) -> None:
    """Refuse a segment of a file whose row of the inertia table is unknown, of another side, or used up by others."""
    for table, segment in rows:
        if segment.inertia is None:
            continue
        row = segment.inertia[0]
        if row not in ROWS:
            raise table.refusal(
                f"no inertia table has a row {shown(row)}{did_you_mean(row, ROWS)} Rows are {', '.join(ROWS)}.",
                "inertia",
            )
        paired = row in (*PAIRED, *GIRDLE)
        if paired != (segment.side is not None):
            whose = "belongs to the right or the left" if paired else "belongs to the middle of the body"
            remedy = (
                f'Call the segment "* {segment.name}" or "right {segment.name}", or take another row.'
                if paired
                else "Take a row of a limb, or leave inertia out."
            )
            raise table.refusal(f"the row {shown(row)} {whose}, and the {segment.name} does not. {remedy}", "inertia")
        alike = [
            other
            for other in model.segments
            if other.inertia is not None and (other.inertia[0], other.side) == (row, segment.side)
        ]
        total = sum(other.inertia[1] for other in alike if other.inertia is not None)
        if total > 1.0 + ROUND_OFF:
            raise table.refusal(
                f"{' and '.join(other.name for other in alike)} take {100.0 * total:.0f} % of the {row}'s mass together"
                f". Give them shares, such as share = 0.5, that are 1 together, or take another row.",
                "share" if "share" in table else "inertia",
            )
