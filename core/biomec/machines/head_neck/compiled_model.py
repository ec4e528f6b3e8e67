"""The model laid out as flat tables for the compiled steps, in its initial pose: nothing pulls or presses yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.physics import GRAVITY
from biomec.engine.forces.discs import Discs
from biomec.engine.forces.hill_muscle import HillParameters
from biomec.engine.forces.ligaments import Ligaments
from biomec.engine.forces.polylines import Polylines
from biomec.engine.forces.sphere_plane import SpherePlanes
from biomec.engine.tree.free_chain import free_chain
from biomec.machines.head_neck.model import HEAD, HeadNeck
from biomec.machines.head_neck.steps import NeckState, NeckTables, evaluate, neck_work


@dataclass(frozen=True, eq=False)
class Layout:
    """Tables of a model and its initial coordinates z (48,)."""

    tables: NeckTables
    z: FloatArray


def laid_out(model: HeadNeck) -> Layout:
    """Tables of a model whose ligaments have their lengths of the initial pose as rest lengths."""
    number = {name: k for k, name in enumerate(model.names)}
    bones = model.bones
    chain = free_chain(
        np.array([number[one.parent] for one in bones]),
        np.array([one.mass for one in bones]),
        np.array([one.com for one in bones]),
        np.array([one.inertia for one in bones]),
    )
    z = np.concatenate([one.place for one in bones])
    discs = Discs(
        np.array([number[one.upper] for one in model.discs], dtype=np.int64),
        _rows([z[6 * (number[one.upper] - 1) : 6 * number[one.upper]] for one in model.discs], 6),
        _rows([one.stiffness for one in model.discs], 2, 6),
        _rows([one.exponent for one in model.discs], 2),
        _rows([one.damping for one in model.discs], 2, 6),
    )
    ligament_lines = _lines(
        [([number[one.lower], number[one.upper]], np.array([one.lower_point, one.upper_point]))
         for one in model.ligaments]
    )  # fmt: skip
    muscle_lines = _lines([([number[name] for name in one.bodies], one.points) for one in model.muscles])
    muscles = HillParameters(
        *(np.array([getattr(one, name) for one in model.muscles]) for name in HillParameters._fields)
    )
    contacts = SpherePlanes(
        sphere=np.array([number[one.sphere] for one in model.contacts], dtype=np.int64),
        plane=np.array([number[one.plane] for one in model.contacts], dtype=np.int64),
        centre=_rows([one.centre for one in model.contacts], 3),
        radius=np.array([one.radius for one in model.contacts]),
        point=_rows([one.point for one in model.contacts], 3),
        normal=_rows([one.normal for one in model.contacts], 3),
        stiffness=np.array([one.stiffness for one in model.contacts]),
        exponent=np.array([one.exponent for one in model.contacts]),
        hysteresis=np.array([0.75 * (1.0 - one.restitution**2) for one in model.contacts]),
        slowest=np.array([one.slowest for one in model.contacts]),
    )
    tables = NeckTables(
        chain,
        np.array([0.0, 0.0, -GRAVITY]),
        discs,
        ligament_lines,
        Ligaments(
            np.array([one.stiffness for one in model.ligaments]),
            np.array([one.damping for one in model.ligaments]),
            np.ones(len(model.ligaments)),
        ),
        muscle_lines,
        muscles,
        contacts,
        number[HEAD],
        np.array(model.head_com),
        np.array([1.0, 0.0, 0.0]),
    )
    work = neck_work(tables)
    count = len(model.muscles)
    state = NeckState(z, np.zeros(z.size), np.concatenate([np.zeros(count), np.ones(count)]),
                      np.zeros(len(model.contacts)))  # fmt: skip
    evaluate(tables, state, np.zeros(count), 0.0, work)
    tables.ligaments.rest[:] = work.ligament[0]
    return Layout(tables, z)


def _rows(values: Sequence[FloatArray], *shape: int) -> FloatArray:
    """Arrays of one shape as a table, which has this shape without any row too."""
    return np.array(values, dtype=np.float64).reshape(-1, *shape)


def _lines(paths: Sequence[tuple[list[int], FloatArray]]) -> Polylines:
    first = np.concatenate([[0], np.cumsum([len(bodies) for bodies, _ in paths])]).astype(np.int64)
    return Polylines(
        first,
        np.array([one for bodies, _ in paths for one in bodies], dtype=np.int64),
        _rows([point for _, points in paths for point in points], 3),
    )
