"""Planar machines in reference-point coordinates (x, y, φ) a body, at its centre of mass.

    model = reference_point_model(machine)                # all laws active; "kept" or "none" for forward dynamics
    q, qdot, qddot = follow(model, time_s)                # driven motion; assembled(model, t), velocities(model, q, t)
    qddot, multipliers = model.accelerations(q, qdot, t)  # saddle system, for one state or many

`equations` are the rows, `model` evaluates them, `building` makes a model of a machine or system, `assembly` finds
positions and velocities, `partitioned` and `stabilised` integrate in time.
"""

from biomec.machines.reference_points.assembly import (
    NotAssembled,
    SingularPosition,
    assembled,
    follow,
    velocities,
)
from biomec.machines.reference_points.building import model_of_system, reference_point_model
from biomec.machines.reference_points.model import ReferencePointModel

__all__ = ["NotAssembled", "ReferencePointModel", "SingularPosition", "assembled", "follow", "model_of_system",
           "reference_point_model", "velocities"]  # fmt: skip
