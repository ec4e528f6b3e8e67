"""What a report says about Plug-in Gait as Vicon computes it: how far our own model is from it, joint by joint, and how
far this computation is from what the file stores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from biomec.body.plug_in_gait.comparison import ANGLE, MOMENT, POWER, Difference
from biomec.body.plug_in_gait.legs import SIDES
from biomec.body.plug_in_gait.parameters import TEXTS
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.plug_in_gait import Comparison, comparison, plug_in_gait_of
from biomec.reporting.tables import NOTHING, Section, Table, number, plain_number

PLUG_IN_GAIT = "Plug-in Gait as Vicon computes it"
OWN, STORED = "our own model − as Vicon computes it", "as Vicon computes it − stored in the file"
DIGITS = {ANGLE: 2, MOMENT: 3, POWER: 2}
TITLES = {ANGLE: "Angles", MOMENT: "Moments", POWER: "Powers"}
EXACT = {ANGLE: 0.01, MOMENT: 0.02, POWER: 0.05}  # below this, two computations of one model are the same


def plug_in_gait_section(analysis: Analysis) -> Section | None:
    """Sentences, then a table of every kind of curve; None where the model was not computed."""
    found = comparison(analysis)
    if found is None:
        return None
    note = (
        "Our own model less Plug-in Gait as Vicon computes it: root mean square, mean, and root mean square of what is "
        "left without the mean, over the frames that both have."
    )
    tables = [_table(f"{TITLES[kind]} [{_unit(found.own, kind)}]", _of(found.own, kind), kind, "")
              for kind in TITLES if _of(found.own, kind)]  # fmt: skip
    tables[:1] = [replace(table, note=note) for table in tables[:1]]
    wrong = [apart for apart in found.stored if apart.rms > EXACT[apart.kind]]
    if wrong:
        words = f"Computed here less stored in {analysis.session.dynamic.source.name}, where they differ."
        tables += [_table(f"Stored {TITLES[kind].lower()} [{_unit(wrong, kind)}]", _of(wrong, kind), kind, words)
                   for kind in TITLES if _of(wrong, kind)]  # fmt: skip
    sentences = [_how(analysis), _against_stored(found)]
    if any(apart.name.endswith("elbow flexion") for apart in found.own):
        sentences.append("Shoulder rotation, elbow and wrist differ by definition: Plug-in Gait has no pronation.")
    return Section(PLUG_IN_GAIT, tuple(sentences), tuple(tables))


def plug_in_gait_summary(analysis: Analysis) -> dict[str, Any] | None:
    """Foot offsets, and all differences, as plain data; None where the model was not computed."""
    model, found = plug_in_gait_of(analysis), comparison(analysis)
    if model is None or found is None:
        return None
    measures = model.calibration.measures
    return {
        "foot_flat": {leg.word: model.calibration.flat.get(leg.code) for leg in SIDES},
        "foot_offsets_deg": {
            leg.word: {
                name: plain_number(np.degrees(measures[leg.key(f"foot_{name}")]))
                for name in ("plantar_flexion", "rotation")
                if leg.key(f"foot_{name}") in measures
            }
            for leg in SIDES
        },
        "marker_diameter_mm": plain_number(1e3 * measures["marker_diameter"]),
        "own_model_less_vicon": {apart.name: _plain(apart) for apart in found.own},
        "vicon_less_stored": {apart.name: _plain(apart) for apart in found.stored},
    }


def _plain(apart: Difference) -> dict[str, Any]:
    figures = {"rms": apart.rms, "offset": apart.offset, "rms_without_offset": apart.rest, "largest": apart.largest}
    return {"unit": apart.unit, **{key: plain_number(value) for key, value in figures.items()}, "frames": apart.frames}


def comparison_rows(found: Comparison) -> list[list[str | int]]:
    """Rows of plug_in_gait_comparison.csv: what is compared, curve, unit and figures of each difference."""
    return [
        [what, apart.name, apart.kind, apart.unit, *(f"{x:.6g}" for x in (apart.rms, apart.offset, apart.rest)),
         f"{apart.largest:.6g}", apart.frames]
        for what, differences in ((OWN, found.own), (STORED, found.stored)) for apart in differences
    ]  # fmt: skip


def _how(analysis: Analysis) -> str:
    """What the static was taken for."""
    model = plug_in_gait_of(analysis)
    assert model is not None
    known = model.calibration
    feet = [
        f"{leg.word} foot {'flat' if known.flat[leg.code] else 'as the markers are worn'}"
        for leg in SIDES
        if leg.code in known.flat
    ]
    diameter = f"markers of {1e3 * known.measures['marker_diameter']:.0f} mm"
    source = TEXTS[known.sources["marker_diameter"]]
    static = f"In the static: {', '.join(feet)}." if feet else "No static shows the feet; stored offsets are used."
    return f"{static} {diameter.capitalize()}, {source}."


def _against_stored(found: Comparison) -> str:
    """How far the computation is from the stored curves, in one sentence."""
    if not found.stored:
        return "The file stores no results of Plug-in Gait to compare with."
    worst = {kind: max(_of(found.stored, kind), key=lambda apart: apart.rms, default=None) for kind in TITLES}
    parts = [
        f"{TITLES[kind].lower()} {number(apart.rms, 3)}{'' if kind == ANGLE else ' '}{apart.unit} ({apart.name})"
        for kind, apart in worst.items()
        if apart is not None
    ]
    return f"Largest RMS difference from the results stored in the file: {', '.join(parts)}."


def _of(differences: Sequence[Difference], kind: str) -> list[Difference]:
    return [apart for apart in differences if apart.kind == kind]


def _unit(differences: Sequence[Difference], kind: str) -> str:
    return _of(differences, kind)[0].unit


def _table(caption: str, differences: Sequence[Difference], kind: str, note: str) -> Table:
    """Both sides beside each other."""
    by_name = {apart.name: apart for apart in differences}
    stems = dict.fromkeys(name.split(" ", 1)[1] for name in by_name)
    rows = []
    for stem in stems:
        cells: list[str] = []
        for leg in SIDES:
            apart = by_name.get(leg.name(stem))
            figures = (None,) * 3 if apart is None else (apart.rms, apart.offset, apart.rest)
            cells += [NOTHING if x is None else number(x, DIGITS[kind]) for x in figures]
        rows.append((stem.capitalize(), *cells))
    columns = ("", "right RMS", "mean", "without mean", "left RMS", "mean", "without mean")
    return Table(caption, columns, tuple(rows), note)
