"""Inverse dynamics in bulk beside Pinocchio's recursive algorithm in a Python loop, and beside OpenSim's tool.

``python -m benchmarks.inverse_dynamics``. One push-up of the virtual person. Pinocchio has the same 21 bodies with
spherical joints and a free root (66 degrees of freedom, as ours), and is called once a frame, which is how Python
programs use it. OpenSim's tool runs on the motion that its own inverse kinematics found, reading and writing files; its
processor time is compared with ours for the whole step: segment motion, both methods, from coordinates to loads.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.opensim_ik import FRAMES, RATE_HZ, push_up, push_up_case
from benchmarks.opensim_tool import HOW_TO_INSTALL, fit, opensim_python, tree_of
from benchmarks.timing import Task, interleaved
from biomec.dynamics.external_loads import external_loads
from biomec.dynamics.joint_loads import JointLoads, largest_difference
from biomec.dynamics.multibody_inverse import multibody_loads
from biomec.dynamics.newton_euler import newton_euler
from biomec.dynamics.tree import joint_tree
from biomec.io.trc import write_trc
from biomec.kinematics.segment_motion import segment_motion
from tests.core.dynamics.people import pinocchio

PASSES = 9
TARGET_US, TARGET_RATIO = 100.0, 50.0
RNEA, BULK, MOTION = "Pinocchio rnea, Python loop", "Newton-Euler in bulk", "segment motion"
NEWTON, LAGRANGE, VELOCITY = "multibody, Newton", "multibody, Lagrange", "velocity transformation"
ALL, STEP = "multibody, Newton, gliding contacts", "whole step: motion, Newton-Euler, multibody"


def print_inverse_dynamics() -> None:
    """Print microseconds a frame, ratios, and whether the targets are reached."""
    acquisition = push_up()
    truth, system = acquisition.truth, acquisition.model.system
    q, qdot, qddot = (np.asarray(level[:FRAMES]) for level in (truth.q, truth.qdot, truth.qddot))
    ground = list(truth.reactions.values())
    external = external_loads(
        [one.segment for one in ground],
        *(np.stack([getattr(one, part)[:FRAMES] for one in ground], axis=1) for part in ("point", "force", "moment")),
    )
    tree = joint_tree(system, acquisition.model.model.roots)
    motion = segment_motion(system, q, qdot, qddot)
    theirs = pinocchio("m21")
    rng = np.random.default_rng(1)
    states = [theirs.random_state(rng) for _ in range(FRAMES)]

    def rnea() -> None:
        for state in states:
            theirs.inverse_dynamics(*state)

    def multibody(method: str, constraints: str = "spherical") -> JointLoads:
        return multibody_loads(tree, q, qddot, external, method, constraints)

    def step() -> tuple[JointLoads, JointLoads]:
        moved = segment_motion(system, q, qdot, qddot)
        return newton_euler(tree, moved, q, external), multibody("newton")

    tasks = {
        RNEA: rnea,
        BULK: lambda: newton_euler(tree, motion, q, external),
        MOTION: lambda: segment_motion(system, q, qdot, qddot),
        NEWTON: lambda: multibody("newton"),
        LAGRANGE: lambda: multibody("lagrange"),
        VELOCITY: lambda: multibody("velocity"),
        ALL: lambda: multibody("newton", "all"),
        STEP: step,
    }
    times = interleaved([Task(name, run, FRAMES) for name, run in tasks.items()], PASSES)
    print(f"\nInverse dynamics of a push-up, {FRAMES} frames, 21 segments, one thread:")
    print(f"  {'':46}{'µs a frame':>12}{'rnea / ours':>14}")
    for name, timing in times.items():
        print(f"  {name:46}{1e6 * timing.best_cpu:12.2f}{times[RNEA].best_cpu / timing.best_cpu:14.2f}")
    force, torque = largest_difference(*step())
    print(f"  Newton-Euler and multibody differ by {force:.1e} N and {torque:.1e} N·m at most.")
    bulk, newton = times[BULK].best_cpu, times[NEWTON].best_cpu
    _target("Newton-Euler in bulk no slower than rnea in a loop", bulk <= times[RNEA].best_cpu)
    _target(f"multibody ≤ {TARGET_US:g} µs a frame: {1e6 * newton:.0f}", 1e6 * newton <= TARGET_US)
    python = opensim_python()
    if python is None:
        print(f"  OpenSim's inverse dynamics tool: {HOW_TO_INSTALL}")
        return
    case = push_up_case(acquisition, "m21")
    with tempfile.TemporaryDirectory(prefix="biomec-push-up-") as folder:
        file = Path(folder) / "push_up.trc"
        write_trc(acquisition.dynamic.stretch(0, FRAMES - 1), file)
        found = fit(python, file, (0.0, FRAMES / RATE_HZ), tree_of(case.body, q[0]))
    whole, moved = 1e6 * times[STEP].best_cpu, 1e6 * (times[MOTION].best_cpu + bulk)
    print(
        f"  OpenSim {found.version[:3]}: {found.inverse_us:.0f} µs a frame ({found.inverse_frames} frames, "
        f"{found.coordinates} coordinates, with reading and writing). Ours, both methods together: "
        f"{found.inverse_us / whole:.0f} times its frames a second."
    )
    for name, ours in (("Newton-Euler, segment motion included", moved), ("multibody", 1e6 * newton)):
        ratio = found.inverse_us / ours
        _target(f"≥ {TARGET_RATIO:g} times OpenSim's frames a second by {name}: {ratio:.0f}", ratio >= TARGET_RATIO)


def _target(what: str, reached: bool) -> None:
    print(f"  Target: {what}: {'reached' if reached else 'NOT REACHED'}.")


if __name__ == "__main__":
    print_inverse_dynamics()
