"""The band around joint loads of a recording; other cut-off frequencies and inertia tables by running it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from biomec.base.progress import Progress, part_of
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.sensitivity import JointDoubt, LoadBand, SensitivityOptions, joint_doubts, load_band
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.steps.loads import LoadResult, tree_of
from biomec.signals import FilterOptions
from biomec.signals.filtering import FilteredMarkers, ManualCutoff

CUTOFF, TABLE = "cut-off frequency", "inertia table"
LOWEST_HZ = 1.0


def load_sensitivity(
    analysis: Analysis,
    options: SensitivityOptions = SensitivityOptions(),
    cutoff_hz: float = 1.0,
    tables: Sequence[str] = (),
    progress: Progress | None = None,
) -> LoadBand:
    """Band around the loads of a recording.

    cutoff_hz : every marker's cut-off is lowered and raised by this much [Hz]; 0 leaves the filter as it is
    tables    : other inertia tables to try
    """
    base = analysis.run_until("loads", part_of(progress, 0.0, 0.3))
    others: dict[str, list[Analysis]] = {}
    settings, filtered = base.settings, base.signals.filtered
    if cutoff_hz > 0.0 and filtered is not None:
        for sign in (-1.0, 1.0):
            chosen = _shifted(filtered, sign * cutoff_hz)
            changed = replace(settings, signals=replace(settings.signals, marker_filter=chosen))
            others.setdefault(CUTOFF, []).append(base.with_settings(changed))
    for table in tables:
        model = settings.body.options
        inertia = replace(model.inertia, table=table)
        changed = replace(settings, body=replace(settings.body, options=replace(model, inertia=inertia)))
        others.setdefault(TABLE, []).append(base.with_settings(changed))
    runs = [(source, run) for source, found in others.items() for run in found]
    repeated: dict[str, list[JointLoads]] = {}
    for k, (source, run) in enumerate(runs):
        part = part_of(progress, 0.3 + 0.7 * k / len(runs), 0.3 + 0.7 * (k + 1) / len(runs))
        repeated.setdefault(source, []).append(run.run_until("loads", part).loads.newton_euler)
    reduced = base.loads.reduced
    tree = tree_of(base.body.person, settings.loads) if reduced is None else reduced.tree
    motion = base.segments if reduced is None else reduced.motion
    return load_band(tree, motion, base.loads.newton_euler, base.loads.external, options, repeated)


def doubts_of(loads: LoadResult, band: LoadBand) -> tuple[JointDoubt, ...]:
    """How far loads may be off, joint by joint, in the same figures as the verdict about the steps on plates."""
    judged = loads.trust.judged
    mass_kg = np.nan if judged is None else judged.mass.used
    return joint_doubts(loads.newton_euler, band, loads.trust.worst_joints, mass_kg)


def _shifted(filtered: FilteredMarkers, by_hz: float) -> FilterOptions:
    """Filter with every cut-off moved by some hertz; those of markers that nothing filtered stay."""
    found = []
    for name, hz in zip(filtered.markers.names, filtered.cutoff_hz, strict=True):
        if np.isfinite(hz).all():
            x, y, z = np.maximum(hz + by_hz, np.minimum(hz, LOWEST_HZ)).tolist()
            found.append(ManualCutoff(name, (x, y, z)))
    return replace(filtered.options, manual=tuple(found))
