"""Dynamically consistent motion: its time, exact derivatives beside differences, and OpenSim's residual reduction.

    python -m benchmarks.consistent_motion

OpenSim runs if there is a Python that has it (`benchmarks.opensim_tool`), on its own example, in the same run.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks import opensim_rra_job
from benchmarks.opensim_tool import HOW_TO_INSTALL, opensim_python
from biomec.base.arrays import BoolArray, FloatArray
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads import balanced_motion
from biomec.body.loads.dynamic_motion import DynamicChange, dynamic_motion
from biomec.body.loads.newton_euler import newton_euler
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.reference_motion import ReferenceMotion, reference_motion
from biomec.engine.forward.tree_balance import BalancedFrames, balanced_frames
from tests.core.body.loads.opensim_walk import OpenSimWalk, read_walk, with_ball_joints
from tests.core.body.loads.performed import RATE_HZ
from tests.core.body.loads.test_dynamic_motion import disturbed, performed
from tests.real_data import FOLDER

WALK = FOLDER / "gait_opensim2354"
STRETCH_S = (0.75, 1.25)  # of the published walk
FRAMES = 200
PASSES = 5
STEP = 1e-6


def print_consistent_motion() -> None:
    """Print all four."""
    one = performed("push-up")
    states, reference = disturbed("push-up")
    counted = np.zeros(len(one.q), dtype=np.bool_)
    counted[:FRAMES] = True

    def ours() -> object:
        return dynamic_motion(one.tree, states, one.external, counted, RATE_HZ)

    wall, cpu = best(ours)
    _, _, change = dynamic_motion(one.tree, states, one.external, counted, RATE_HZ)
    print("\nDynamically consistent motion")
    print(
        f"  push-up, {FRAMES} frames, {reference.space.size} freedoms, 4 gliding contacts: {1e3 * wall:.0f} ms "
        f"({1e3 * cpu:.0f} ms of a processor), {change.steps} steps"
    )
    print_derivatives(reference)
    print_solves()
    print_beside_opensim()


def best(work: Callable[[], object]) -> tuple[float, float]:
    """Shortest time of the clock and of the processor over some passes, after one that compiles [s]."""
    work()
    found = []
    for _ in range(PASSES):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        found.append((time.perf_counter() - wall, time.process_time() - cpu))
    return min(one[0] for one in found), min(one[1] for one in found)


def print_derivatives(reference: ReferenceMotion) -> None:
    """One evaluation of the root's equations with all derivatives by y, ẏ and ÿ: exact, forward, central."""
    space = JointSpace(reference.space.system, ())
    times = reference.start_s + np.arange(20) / RATE_HZ
    jets = [np.ascontiguousarray(curve(times)) for curve in reference.curves]

    times_s = {
        "exact": best(lambda: balanced_frames(space, reference.base, *jets))[1],
        "forward differences": best(lambda: _differenced(balanced_frames, False, space, reference.base, *jets))[1],
        "central differences": best(lambda: _differenced(balanced_frames, True, space, reference.base, *jets))[1],
    }
    slowest = times_s["central differences"]
    print("  derivatives of the six equations of the root by 3 × 48 quantities, beside central differences")
    print("  (differences call what also finds exact derivatives, so that they could be some two times as fast):")
    for name, seconds in times_s.items():
        print(f"    {name:20s} {1e6 * seconds / len(times):8.0f} µs a frame, {seconds / slowest:.4f}")
    print("    published, whole optimal control ([Mouzo2018] Table 2.1): exact 0.308, forward 0.564")


def print_solves() -> None:
    """Whole solves of a walk with exact, forward and central derivatives, and how far their answers are apart."""
    if not WALK.exists():
        print("  the published walk is not here")
        return
    walk, states, counted, rate = published_walk()
    exact = balanced_motion.balanced_frames
    found: dict[str, tuple[float, DynamicChange, FloatArray]] = {}
    for name in ("central differences", "forward differences", "exact"):
        work = exact if name == "exact" else partial(_differenced, exact, name.startswith("central"))
        with patch.object(balanced_motion, "balanced_frames", work):
            start = time.process_time()
            new, _, change = dynamic_motion(walk.tree, states, walk.external, counted, rate)
            found[name] = time.process_time() - start, change, new[0][counted]
    slowest, _, _ = found["central differences"]
    print(f"  whole solves of the published walk, {counted.sum()} frames, no gliding contacts:")
    for name, (seconds, change, q) in found.items():
        apart = float(np.abs(q - found["exact"][2]).max())
        print(
            f"    {name:20s} {seconds:8.2f} s, {seconds / slowest:.3f}; {change.steps} steps, coordinates "
            f"at most {1e3 * apart:.0e} mm from those by exact derivatives"
        )
    print("    published, [Mouzo2018] Table 2.1: central 399 s (16 steps), forward 225 s (18), exact 123 s (17),")
    print("    by another formulation with central differences 45 s (16); as ratios 1, 0.564, 0.308, 0.113")


def published_walk() -> tuple[OpenSimWalk, tuple[FloatArray, FloatArray, FloatArray], BoolArray, float]:
    """OpenSim's walk with ball joints at the knees: body, motion, frames of the stretch, and rate [Hz]."""
    walk = with_ball_joints(read_walk(WALK))
    space = JointSpace(walk.tree.system, ("pelvis",))
    states = reference_motion(space, walk.time_s, walk.q).states(walk.time_s)
    counted = (walk.time_s > STRETCH_S[0] - 1e-4) & (walk.time_s < STRETCH_S[1] + 1e-4)
    return walk, states, counted, 1.0 / float(np.diff(walk.time_s).mean())


def _differenced(
    exact: Callable[..., BalancedFrames], central: bool, space: JointSpace, base: FloatArray, *jets: FloatArray
) -> BalancedFrames:
    """What `balanced_frames` gives, with derivatives of the wrench by differences."""
    here = exact(space, base, *jets)
    derivatives = []
    for level in range(3):
        columns = []
        for i in range(space.size):
            sides = []
            for step in (STEP, -STEP)[: 2 if central else 1]:
                moved = [array.copy() for array in jets]
                moved[level][:, i] += step
                sides.append(exact(space, base, *moved).wrench)
            columns.append((sides[0] - sides[1]) / (2 * STEP) if central else (sides[0] - here.wrench) / STEP)
        derivatives.append(np.stack(columns, axis=1))
    return replace(here, by_y=derivatives[0], by_ydot=derivatives[1], by_yddot=derivatives[2])


def print_beside_opensim() -> None:
    """Residual, time and change beside OpenSim's residual reduction on its own example."""
    if not WALK.exists():
        print("  the published walk is not here")
        return
    walk, states, counted, rate = published_walk()
    system = walk.tree.system
    space = JointSpace(system, ("pelvis",))
    wall, cpu = best(lambda: dynamic_motion(walk.tree, states, walk.external, counted, rate))
    new, external, change = dynamic_motion(walk.tree, states, walk.external, counted, rate)
    loads = newton_euler(walk.tree, segment_motion(system, *new), new[0], external)
    left = max(float(np.abs(one[counted]).max()) for one in (loads.residual_force, loads.residual_torque))
    print(
        f"  published walk, {STRETCH_S[1] - STRETCH_S[0]:g} s, {counted.sum()} frames, {space.size} freedoms: "
        f"{1e3 * wall:.0f} ms ({1e3 * cpu:.0f} of a processor), {left:.0e} N and N·m left at most, motion changed by "
        f"{1e3 * change.place_rms_m:.1f} mm and {np.degrees(change.turn_rms_rad):.2f}°"
    )
    python = opensim_python()
    if python is None:
        print(f"  OpenSim: {HOW_TO_INSTALL}")
        return
    theirs = opensim(python)
    words = ", ".join(f"{name} {rms:.1f} ({peak:.0f})" for name, (rms, peak) in theirs["left"].items())
    print(
        f"  OpenSim {theirs['version']}, its residual reduction on the same: {theirs['wall_s']:.1f} s "
        f"({theirs['cpu_s']:.1f} of a processor), left RMS (peak) [N, N·m]: {words}"
    )
    print(f"  {theirs['cpu_s'] / cpu:.0f} times as fast by the processor, {theirs['wall_s'] / wall:.0f} by the clock")


def opensim(python: str) -> dict[str, Any]:
    """What OpenSim's tool needed and left."""
    with tempfile.TemporaryDirectory(prefix="biomec-opensim-") as place:
        job = Path(place) / "job.json"
        about = {
            "model": str(WALK / "reference" / "subject01_simbody.osim"),
            "root": "pelvis",
            "coordinates": str(WALK / "reference" / "subject01_walk1_ik.mot"),
            "loads": str(WALK / "subject01_walk1_grf.xml"),
            "stretch_s": STRETCH_S,
            "folder": place,
        }
        job.write_text(json.dumps(about), "utf-8")
        command = [python, str(Path(opensim_rra_job.__file__)), str(job)]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    answer = [line for line in done.stdout.splitlines() if line.startswith(opensim_rra_job.ANSWER)]
    if done.returncode or not answer:
        raise RuntimeError(f"OpenSim's tool failed:\n{done.stdout}\n{done.stderr}")
    return dict(json.loads(answer[0].removeprefix(opensim_rra_job.ANSWER)))


if __name__ == "__main__":
    print_consistent_motion()
