"""Curves of every simulation: angles beside the recorded ones, moments beside inverse dynamics, energy, violations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from biomec.body.loads.load_components import FORCE, MOMENT
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.simulation_run import SimulationRun
from biomec.recording.marker_set import Side
from biomec_app.curves.curve import DEGREES, MM, Curve, capital, column, side_of_name
from biomec_app.curves.motion import LEAST_DEG, joint_angles
from biomec_app.features.loads.curves import LEAST, by_key, load_key

MUSCLE_SIDES = {"_r": Side.RIGHT, "_l": Side.LEFT}
SHOWN_MUSCLES = 8  # the most active ones, where a button plots muscles
TINY = 1e-18  # zero on a logarithmic axis
KIND = "Simulation: "
ANGLES, TORQUES, QUALITY, ENERGY, GROUND = "angles", "moments", "quality", "energy", "ground"
MUSCLES, DEVICES = "muscles", "devices"
SETS = {ANGLES: "Joint angles", TORQUES: "Joint moments", MUSCLES: "Muscles", ENERGY: "Energy",
        QUALITY: "Constraints and distance"}  # fmt: skip
"""What a button plots -> what it is called."""


def simulation_key(run: str, name: str) -> str:
    """Key of a curve of a run; ``name`` such as "angles/right elbow flexion"."""
    return f"simulation/{run}/{name}"


def simulations(analysis: Analysis) -> Iterator[Curve]:
    """Curves of all runs."""
    if not analysis.simulations:
        return
    recorded = {curve.label: curve for curve in joint_angles(analysis)}
    recorded_load = by_key(analysis)
    for run in analysis.simulations.values():
        yield from _angles(run, recorded)
        yield from _moments(run, recorded_load)
        yield from _energy(run)
        yield from _quality(run)
        yield from _ground(run)
        yield from _muscles(run)
        yield from _devices(run)


def _angles(run: SimulationRun, recorded: Mapping[str, Curve]) -> Iterator[Curve]:
    """Angles in the plots of the recorded ones."""
    for k, name in enumerate(run.angle_names):
        like, (side, stem) = recorded.get(name), side_of_name(name)
        yield Curve(
            simulation_key(run.name, f"{ANGLES}/{name}"), KIND + run.name, _group(like, stem),
            like.side if like else side, like.component if like else stem, f"{name}, {run.name}", "°",
            column(run.time_s, run.angles, k, scale=DEGREES), like.title if like else capital(stem),
            like.detail if like else "", run.name, least=LEAST_DEG, said=run.name, dashed=True,
        )  # fmt: skip


def _moments(run: SimulationRun, recorded_load: Callable[[str], Curve | None]) -> Iterator[Curve]:
    """Net joint moments of the simulated motion, in the plots of inverse dynamics."""
    for k, name in enumerate(run.torque_names):
        like, (side, stem) = recorded_load(load_key(name)), side_of_name(name)
        yield Curve(
            simulation_key(run.name, f"{TORQUES}/{name}"), KIND + run.name, _group(like, stem),
            like.side if like else side, f"{like.component if like else stem} moment", f"{name}, {run.name}", "N·m",
            column(run.time_s, run.torques, k), like.title if like else capital(stem), like.detail if like else "",
            run.name, least=LEAST["none", MOMENT], said=run.name, dashed=True,
        )  # fmt: skip


def _group(like: Curve | None, stem: str) -> str:
    return like.group if like else capital(stem)


def _energy(run: SimulationRun) -> Iterator[Curve]:
    for name, values in (
        ("kinetic energy", run.kinetic), ("potential energy", run.potential), ("work of all forces", run.work),
        ("energy without a source", run.energy_drift),
    ):  # fmt: skip
        yield Curve(
            simulation_key(run.name, f"{ENERGY}/{name}"), KIND + run.name, "Energy", None, name,
            f"{run.name}: {name}", "J", column(run.step_time_s, values), "Simulated body", name, least=1.0,
        )  # fmt: skip


def _quality(run: SimulationRun) -> Iterator[Curve]:
    for name, unit, values in (
        ("‖Φ‖", "", run.violation), ("‖dΦ/dt‖", "", run.rate_violation), ("‖d²Φ/dt²‖", "", run.acceleration_violation),
    ):  # fmt: skip
        yield Curve(
            simulation_key(run.name, f"{QUALITY}/{name}"), KIND + run.name, "Constraints", None, name,
            f"{run.name}: {name}", unit, column(run.step_time_s, np.maximum(values, TINY)), "Constraints", name,
            log=True,
        )  # fmt: skip
    for k, (name, unit, scale) in enumerate((("positions", "mm", MM), ("velocities", "m/s", 1.0),
                                             ("accelerations", "m/s²", 1.0))):  # fmt: skip
        yield Curve(
            simulation_key(run.name, f"{QUALITY}/distance {name}"), KIND + run.name, "Distance to the recording", None,
            name, f"{run.name}: distance, {name}", unit, column(run.time_s, run.distance, k, scale=scale),
            "Distance to the recording", f"{name}, mean",
        )  # fmt: skip
    yield Curve(
        simulation_key(run.name, f"{QUALITY}/iterations"), KIND + run.name, "Steps", None, "iterations",
        f"{run.name}: iterations a step", "", column(run.step_time_s, run.iterations.astype(np.float64)), "Steps",
        "iterations",
    )  # fmt: skip


def _devices(run: SimulationRun) -> Iterator[Curve]:
    """Torques of orthosis and person apart, gaps and forces of cuffs."""
    for k, full in enumerate(run.device_names):
        name, _, unit = full.removesuffix(")").rpartition(" (")
        where, _, what = name.partition(", ")
        yield Curve(
            simulation_key(run.name, f"{DEVICES}/{name}"), KIND + run.name, capital(where), side_of_name(where)[0],
            what, f"{name}, {run.name}", "°" if unit == "deg" else unit, column(run.time_s, run.devices, k),
            capital(where), what, run.name, said=run.name, dashed=True,
        )  # fmt: skip


def _muscles(run: SimulationRun) -> Iterator[Curve]:
    """What muscles did that followed the movement, and what they could not give."""
    for what, unit, names, values, least in (
        ("activation", "", run.muscle_names, run.activations, 0.1),
        ("muscle force", "N", run.muscle_names, run.muscle_forces, LEAST["none", FORCE]),
        ("reserve torque", "N·m", run.reserve_names, run.reserves, LEAST["none", MOMENT]),
    ):
        for k, name in enumerate(names):
            side, stem = MUSCLE_SIDES.get(name[-2:]), name[:-2]
            if side is None:
                side, stem = side_of_name(name)
            yield Curve(
                simulation_key(run.name, f"{MUSCLES}/{what} {name}"), KIND + run.name, capital(what), side, stem,
                f"{run.name}: {what}, {name}", unit, column(run.time_s, values, k), f"Simulated {what}", stem,
                least=least,
            )  # fmt: skip


def _ground(run: SimulationRun) -> Iterator[Curve]:
    """What held the body beside the recorded ground reactions."""
    axes = ("X", "Y", "Z")
    for what, unit, values, least in (
        ("residual force", "N", run.residual_force, FORCE), ("residual moment", "N·m", run.residual_torque, MOMENT),
    ):  # fmt: skip
        if len(values) != len(run.q):
            continue
        for i, axis in enumerate(axes):
            yield Curve(
                simulation_key(run.name, f"{GROUND}/{what} {axis}"), KIND + run.name, "Residual", None,
                f"{what} {axis}", f"{run.name}: {what} {axis}", unit, column(run.time_s, values, i),
                f"Simulated {what}", axis, least=LEAST["none", least],
            )  # fmt: skip
    if np.any(run.ground_change):
        for name, change in run.ground_changes.items():
            side, stem = side_of_name(name)
            for i, axis in enumerate(axes):
                yield Curve(
                    simulation_key(run.name, f"{GROUND}/{name} {axis}"), KIND + run.name, "Change of ground reactions",
                    side, f"{stem} {axis}", f"{run.name}: {name}, change of the ground reaction {axis}", "N",
                    column(run.time_s, change, i), f"{capital(stem)}, change of the ground reaction", axis,
                    least=LEAST["none", FORCE],
                )  # fmt: skip


def plotted(analysis: Analysis, names: tuple[str, ...], what: str, joints: tuple[str, ...]) -> tuple[str, ...]:
    """Keys of curves of some runs, with what they are compared with.

    joints : without their sides, such as "elbow"; for angles and moments
    """
    runs = [analysis.simulations[name] for name in names]
    keys: dict[str, None] = {}
    if what in (ANGLES, TORQUES):
        for name in dict.fromkeys(one for run in runs for one in _of(run, what) if _is_of(one, joints)):
            keys[f"angle/{name}" if what == ANGLES else load_key(name)] = None
            keys.update({simulation_key(run.name, f"{what}/{name}"): None for run in runs})
        return tuple(keys)
    if what == MUSCLES:
        return tuple(simulation_key(run.name, f"{MUSCLES}/{part}") for run in runs for part in _most_active(run))
    parts = {
        ENERGY: ("kinetic energy", "potential energy", "energy without a source"),
        QUALITY: ("distance positions", "‖Φ‖", "‖dΦ/dt‖", "‖d²Φ/dt²‖", "iterations"),
    }[what]
    return tuple(simulation_key(run.name, f"{what}/{part}") for part in parts for run in runs)


def _most_active(run: SimulationRun) -> list[str]:
    """Activations of the most active muscles of a run, and all its reserves; nothing without muscles."""
    order = np.argsort(-run.activations.max(axis=0, initial=0.0), kind="stable")[:SHOWN_MUSCLES]
    return [f"activation {run.muscle_names[m]}" for m in order] + [f"reserve torque {one}" for one in run.reserve_names]


def _of(run: SimulationRun, what: str) -> tuple[str, ...]:
    return run.angle_names if what == ANGLES else run.torque_names


def _is_of(name: str, joints: tuple[str, ...]) -> bool:
    stem = side_of_name(name)[1]
    return any(stem.startswith(f"{joint} ") for joint in joints)
