"""The published walk of Rajagopal's model as OpenSim holds it, and what each part of it does to the hip moments.

The generic model comes from the tables of muscles; scale factors and masses of the person's model are those of
``subject_walk_scaled.osim`` of OpenSim's example3DWalking (opensim-core, Apache-2.0). Its centres of mass were not
scaled. Its coordinates come from inverse kinematics and were changed by residual reduction (README of the example).
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.signal import butter, filtfilt
from scipy.spatial.transform import Rotation

from biomec.base.arrays import FloatArray
from biomec.body.kinematics.segment_motion import SegmentMotion, segment_motion
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.newton_euler import newton_euler
from biomec.engine.body import Body
from biomec.engine.forces.external_loads import external_loads
from biomec.engine.joints import Spherical
from biomec.engine.system import System
from biomec.engine.tree.joint_tree import joint_tree
from biomec.pipeline.analysis import Analysis
from tests.core.body.loads.opensim_walk import FILTER, storage
from tests.oracles.source_chain import SourceChain
from tests.real_data import recording

GRAVITY = np.array([0.0, -9.80665, 0.0])
MASSES = 1.1325788240  # of the person over those of the generic model, inertia alike
PATELLA = 0.070007132466  # kg
SCALE = {
    "pelvis": (1.150324903, 1.1304331765, 1.0815305726), "femur": (1.0486928957, 0.9736987467, 1.0522764119),
    "tibia": (1.1635086131, 1.1629356432, 1.1352204367), "talus": (1.2281617902, 1.3418506218, 1.2869909462),
    "calcn": (1.155608663, 1.1170848239, 1.3052527858), "toes": (1.1283468517, 1.1280947806, 1.1282565987),
    "patella": (1.0, 1.0, 1.0),
}  # fmt: skip
SEGMENTS = {"thigh": ("femur", "patella"), "shank": ("tibia",), "foot": ("calcn", "talus", "toes")}
STEP = 0.005  # s: coordinates are smooth below 6 Hz
SIDES = {"r": "right", "l": "left"}

Motion = tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]  # R, and p, a, ω, α of one point of a body
Inertia = tuple[float, FloatArray, FloatArray]  # mass, centre from that point, tensor, in the axes of the body


@dataclass(frozen=True, eq=False)
class Leg:
    """What the flexion moment of a hip is made of, each over time.

    parts : segment -> motion and inertia;  hip : centre (T, 3);  axis : (T, 3);  force, point, torque : of the ground
    """

    parts: dict[str, tuple[Motion, Inertia]]
    hip: FloatArray
    axis: FloatArray
    force: FloatArray
    point: FloatArray
    torque: FloatArray


@dataclass(frozen=True, eq=False)
class PublishedWalk:
    """Legs at given times, loads of the whole chain by Biomec's inverse dynamics, and what was published."""

    legs: dict[str, Leg]
    loads: JointLoads
    axis: FloatArray
    time_s: FloatArray
    published: dict[str, FloatArray]


def tables() -> dict[str, Any]:
    """Bodies and joints of pelvis and legs, scaled."""
    top = tomllib.loads((recording("muscles") / "lower_rajagopal2016.toml").read_text("utf-8"))
    for joint in top["joint"]:
        for end in (joint["parent"], joint["child"]):
            end["translation"] = list(np.array(end["translation"]) * _scale(end["body"]))
    top["joint"] = [one for one in top["joint"] if one["child"]["body"][:-2] in SCALE or one["child"]["body"] in SCALE]
    top["body"] = [one for one in top["body"] if one["name"][:-2] in SCALE or one["name"] in SCALE]
    for body in top["body"]:
        factor = PATELLA / body["mass"] if body["name"].startswith("patella") else MASSES
        body["mass"] *= factor
        body["inertia"] = [factor * one for one in body["inertia"]]
    return top


def published_walk(time_s: FloatArray) -> PublishedWalk:
    """The published chain at ``time_s`` (T,), which lies within 0.45 to 1.799 s."""
    top = tables()
    chain = SourceChain("", "rajagopal")
    chain.__dict__["tables"] = top
    table = storage(recording("gait_rajagopal", "reference", "coordinates.sto"))
    columns = {name.split("/")[-2] if "/" in name else name: values for name, values in table.items()}
    known, grid = columns.pop("time"), np.arange(0.45, 1.7985, STEP)
    b, a = butter(FILTER[0], FILTER[1] / (0.5 / np.diff(known).mean()))
    q = {}
    for name in columns.keys() & chain.defaults.keys():
        smooth = filtfilt(b, a, columns[name], padtype="odd", padlen=len(known) // 2)
        q[name] = make_interp_spline(known, smooth, k=5)(grid)
    placed = [chain.poses({name: float(values[t]) for name, values in q.items()}) for t in range(len(grid))]
    R, p = (np.stack([one[k] for one in placed]) for k in range(2))
    system = _system(top)
    natural = [body.coordinates(p[:, k], R[:, k]) for k, body in enumerate(system.bodies)]
    spline = make_interp_spline(grid, np.concatenate(natural, axis=1), k=5)
    motion = segment_motion(system, *(spline.derivative(k)(time_s) for k in range(3)))
    ground = {side: _ground(side, time_s) for side in SIDES}
    point, force, torque = (np.stack([ground[side][k] for side in SIDES], axis=1) for k in (1, 0, 2))
    external = external_loads([f"calcn_{side}" for side in SIDES], point, force, torque)
    loads = newton_euler(joint_tree(system, ["pelvis"]), motion, spline(time_s), external)
    axis = motion.R_WB[:, motion.index("pelvis"), :, 2]
    legs = {
        side: Leg(
            {name: _lumped(motion, top, [f"{one}_{side}" for one in bodies]) for name, bodies in SEGMENTS.items()},
            loads.centre[:, loads.index(f"hip_{side}")], axis, *ground[side],
        )
        for side in SIDES
    }  # fmt: skip
    moments = storage(recording("gait_rajagopal", "reference", "id_walk.sto"))
    published = {name: np.interp(time_s, moments["time"], values) for name, values in moments.items()}
    return PublishedWalk(legs, loads, axis, time_s, published)


def our_leg(analysis: Analysis, side: str, frames: slice, like: Leg) -> Leg:
    """The same of an analysis. Its segments are carried to the bodies of ``like`` by their mean relative pose."""
    loads, external, motion = analysis.loads.newton_euler, analysis.loads.external, analysis.loads.segments
    parts = {}
    for name, ((R, p, *_), _) in like.parts.items():
        k = motion.index(f"{SIDES[side]} {name}")
        body = analysis.body.person.system.bodies[k]
        arrays = (motion.R_WB, motion.p_com, motion.a_com, motion.omega, motion.alpha)
        R_own, p_own, a, omega, alpha = (np.asarray(array[frames, k]) for array in arrays)
        turn = Rotation.from_matrix(np.swapaxes(R_own, 1, 2) @ R).mean().as_matrix()
        offset = np.einsum("tji,tj->ti", R_own, p - p_own).mean(axis=0)
        p_there, a_there = _carried((R_own, p_own, a, omega, alpha), offset)
        inertia = (body.mass, -turn.T @ offset, turn.T @ np.asarray(body.inertia_matrix) @ turn)
        parts[name] = ((R_own @ turn, p_there, a_there, omega, alpha), inertia)
    foot = external.segments.index(f"{SIDES[side]} foot")
    point = np.nan_to_num(external.point[frames, foot])
    hip = loads.centre[frames, loads.index(f"{SIDES[side]} hip")]
    axis = motion.R_WB[frames, motion.index("pelvis"), :, 2]
    return Leg(parts, hip, axis, external.force[frames, foot], point, external.moment[frames, foot])


EXCHANGED = {
    "ground force": ("force", "torque"), "centre of pressure": ("point",), "axis": ("axis",), "hip centre": ("hip",),
    "motion": tuple(f"{name} motion" for name in SEGMENTS),
    "centres of mass": tuple(f"{name} com" for name in SEGMENTS),
    "moments of inertia": tuple(f"{name} J" for name in SEGMENTS),
    "masses": tuple(f"{name} mass" for name in SEGMENTS),
}  # fmt: skip
EVERYTHING = tuple(one for group in EXCHANGED.values() for one in group)


def exchanged(theirs: Leg, ours: Leg, own: Collection[str]) -> FloatArray:
    """Flexion moment of the hip (T,) [N m] with the ingredients ``own`` from ours, everything else from theirs.

    τ = Σ ((c − h) × m (a − g) + J α + ω × J ω) − (p − h) × f − t over thigh, shank and foot, along the axis.
    """

    def from_either(name: str) -> FloatArray:
        return np.asarray(getattr(ours if name in own else theirs, name))

    hip, total = from_either("hip"), np.zeros_like(theirs.hip)
    for name in SEGMENTS:
        (moving, (m, c, J)), (moving_own, (m_own, c_own, J_own)) = theirs.parts[name], ours.parts[name]
        moving = moving_own if f"{name} motion" in own else moving
        m, c, J = (
            mine if f"{name} {what}" in own else other
            for what, mine, other in (("mass", m_own, m), ("com", c_own, c), ("J", J_own, J))
        )
        R, _, _, omega, alpha = moving
        place, a = _carried(moving, c)
        J_W = R @ J @ np.swapaxes(R, 1, 2)
        spin = np.einsum("tij,tj->ti", J_W, alpha) + np.cross(omega, np.einsum("tij,tj->ti", J_W, omega))
        total += np.cross(place - hip, m * (a - GRAVITY)) + spin
    total -= np.cross(from_either("point") - hip, from_either("force")) + from_either("torque")
    return np.asarray(np.einsum("ti,ti->t", total, from_either("axis")))


def _carried(motion: Motion, local: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Place and acceleration (T, 3) of the point at ``local`` from the one whose motion is given."""
    R, p, a, omega, alpha = motion
    r = R @ local
    return p + r, a + np.cross(alpha, r) + np.cross(omega, np.cross(omega, r))


def _lumped(motion: SegmentMotion, top: dict[str, Any], names: list[str]) -> tuple[Motion, Inertia]:
    """Bodies as one rigid body in the axes of the first, about its centre of mass; the patella in its mean place."""
    k = motion.index(names[0])
    R, p = motion.R_WB[:, k], motion.p_com[:, k]
    parts = []
    for name in names:
        i, body = motion.index(name), next(one for one in top["body"] if one["name"] == name)
        turn = Rotation.from_matrix(np.swapaxes(R, 1, 2) @ motion.R_WB[:, i]).mean().as_matrix()
        c = np.einsum("tji,tj->ti", R, motion.p_com[:, i] - p).mean(axis=0)
        parts.append((body["mass"], c, turn @ np.diag(body["inertia"][:3]) @ turn.T))
    m = sum(mass for mass, _, _ in parts)
    centre = sum(mass * c for mass, c, _ in parts) / m
    J = sum(
        tensor + mass * ((c - centre) @ (c - centre) * np.eye(3) - np.outer(c - centre, c - centre))
        for mass, c, tensor in parts
    )
    return (R, p, motion.a_com[:, k], motion.omega[:, k], motion.alpha[:, k]), (m, centre, J)


def _scale(body: str) -> FloatArray:
    return np.array(SCALE.get(body) or SCALE.get(body[:-2]) or (1.0, 1.0, 1.0))


def _system(top: dict[str, Any]) -> System:
    joints = [joint for joint in top["joint"] if joint["parent"]["body"] != "ground"]
    bodies = []
    for one in top["body"]:
        points = {}
        for joint in joints:
            for end in (joint["parent"], joint["child"]):
                if end["body"] == one["name"]:
                    points[joint["name"]] = np.array(end["translation"])
        axes = dict(zip("xyz", np.eye(3), strict=True))
        bodies.append(
            Body(
                one["name"], points=points, vectors=axes, basis=("origin", "x", "y", "z"), mass=one["mass"],
                centre_of_mass=np.array(one["mass_center"]), inertia=np.diag(one["inertia"][:3]),
            )
        )  # fmt: skip
    held = [
        Spherical(one["name"], f"{one['parent']['body']}.{one['name']}", f"{one['child']['body']}.{one['name']}")
        for one in joints
    ]
    return System(bodies, held, name="rajagopal", gravity=GRAVITY)


def _ground(side: str, time_s: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Force, centre of pressure and torque (T, 3) as recorded; no place without a force."""
    table = storage(recording("gait_rajagopal", "grf_walk.mot"))
    force, point, torque = (
        np.stack([np.interp(time_s, table["time"], table[f"ground_{what}{axis}"]) for axis in "xyz"], axis=1)
        for what in (f"force_{side}_v", f"force_{side}_p", f"torque_{side}_")
    )
    point[force[:, 1] == 0.0] = 0.0
    return force, point, torque
