"""Where the loads of an analysis come from: parts of weight, of acceleration and of the ground, which sum to them."""

from __future__ import annotations

import numpy as np

from biomec.body.loads.contributions import PARTS, TITLES, LoadContributions, load_part, multibody_part
from biomec.body.loads.joint_loads import JointLoads
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_reading import chosen_loads, named_loads
from biomec.pipeline.steps.loads import determined_motion, tree_of
from biomec.reporting.load_output import in_laboratory
from biomec.reporting.table_text import by_frame, table_text


def part_of(analysis: Analysis, part: str) -> JointLoads:
    """One part of the loads of the method that the settings choose, of the same body and motion.

    Where no rib bears load both methods give the same, and the faster one is taken.
    """
    found, body = analysis.loads, analysis.body.person
    if found.reduced is None:
        tree = tree_of(body, found.options)
        q, _, qddot = determined_motion(body, analysis.motion)
    else:
        tree, q, qddot = found.reduced.tree, found.reduced.q, found.reduced.qddot
    if chosen_loads(analysis).contacts:
        options = found.options
        return multibody_part(part, tree, q, qddot, found.external, options.method, options.constraints)
    return load_part(part, tree, found.segments, q, found.external)


def parts_of(analysis: Analysis) -> LoadContributions:
    """All three parts, which sum to the loads."""
    gravity, inertia, external = (part_of(analysis, part) for part in PARTS)
    return LoadContributions(gravity, inertia, external)


def load_parts_csv(analysis: Analysis) -> str:
    """Three columns a component of `loads.csv`, and of the residual: its parts, which sum to it; one row a frame."""
    parts = parts_of(analysis)
    reading = analysis.settings.load_reading
    read = [named_loads(analysis, parts.part(part), reading) for part in PARTS]
    names = [
        heading.replace(name, f"{name}, {TITLES[part]}", 1)
        for name, heading in zip(read[0].names, read[0].headings, strict=True)
        for part in PARTS
    ]
    columns = [np.stack([one.values for one in read], axis=2)]
    for what, array, unit in (("force", "residual_force", "N"), ("moment", "residual_torque", "N m")):
        names += [
            f"residual {what} {axis}, {TITLES[part]} {in_laboratory(reading)} ({unit})"
            for axis in "XYZ"
            for part in PARTS
        ]
        columns.append(np.stack([getattr(parts.part(part), array) for part in PARTS], axis=2))
    values = np.concatenate(columns, axis=1).reshape(len(columns[0]), -1)
    return table_text(["frame", "time_s", *names], by_frame(analysis.signals.trial), values)
