"""Inverse dynamics in bulk beside Pinocchio's recursive algorithm in a Python loop, and beside OpenSim's tool.

``python -m benchmarks.inverse_dynamics``. One push-up of the virtual person, one thread. Pinocchio has the same 21
bodies with spherical joints and a free root (66 degrees of freedom, as ours), and is called once a frame, which is how
Python programs use it. Its call begins with joint coordinates and finds the motion of the bodies on the way, so
Newton-Euler is timed twice: from the motion of the segments, which the analysis has anyway, and from coordinates, which
is what rnea does; ours has the forces of the ground besides. OpenSim's tool runs on the motion that its own inverse
kinematics found, without forces of the ground; it filters and differentiates, reads and writes files. Ratios are of
processor time.
"""

from __future__ import annotations

import numpy as np

from benchmarks.opensim_ik import FRAMES, push_up, push_up_by_opensim
from benchmarks.opensim_tool import HOW_TO_INSTALL, opensim_python
from benchmarks.timing import Task, interleaved
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.joint_loads import JointLoads, largest_difference
from biomec.body.loads.multibody_inverse import multibody_loads
from biomec.body.loads.newton_euler import newton_euler
from biomec.engine.forces.external_loads import external_loads
from biomec.engine.tree.joint_tree import joint_tree
from tests.core.body.loads.people import pinocchio

PASSES = 9
KEPT = 30_000_000 // 8  # numbers
TARGET_US, TARGET_RATIO = 100.0, 50.0
RNEA, MOTION = "Pinocchio rnea, Python loop", "segment motion alone"
BULK, WITH_MOTION = "Newton-Euler from segment motion", "Newton-Euler from coordinates"
NEWTON, LAGRANGE, VELOCITY = "multibody, Newton", "multibody, Lagrange", "velocity transformation"
ALL, STEP = "multibody, Newton, gliding contacts", "both: segment motion, Newton-Euler, multibody"


def print_inverse_dynamics() -> None:
    """Print microseconds a frame, ratios, and whether the targets are reached."""
    np.ones(KEPT)  # freed at once: memory is kept from now on, as in any program that has opened a recording
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

    def with_motion() -> JointLoads:
        return newton_euler(tree, segment_motion(system, q, qdot, qddot), q, external)

    def step() -> tuple[JointLoads, JointLoads]:
        return with_motion(), multibody("newton")

    tasks = {
        RNEA: rnea,
        BULK: lambda: newton_euler(tree, motion, q, external),
        WITH_MOTION: with_motion,
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
    for name in (BULK, WITH_MOTION):
        ratio = times[RNEA].best_cpu / times[name].best_cpu
        _target(f"{name} no slower than rnea in a loop: {ratio:.2f} times as fast", ratio >= 1.0)
    for name in (NEWTON, LAGRANGE, VELOCITY, ALL):
        each = 1e6 * times[name].best_cpu
        _target(f"{name} ≤ {TARGET_US:g} µs a frame: {each:.0f}", each <= TARGET_US)
    python = opensim_python()
    if python is None:
        print(f"  OpenSim's inverse dynamics tool: {HOW_TO_INSTALL}")
        return
    found = push_up_by_opensim(python, "m21")
    print(
        f"  OpenSim {found.version[:3]}: {found.inverse_us:.0f} µs a frame ({found.inverse_frames} frames, "
        f"{found.coordinates} coordinates)."
    )
    for name in (WITH_MOTION, NEWTON, LAGRANGE, STEP):
        ratio = found.inverse_us / (1e6 * times[name].best_cpu)
        _target(f"≥ {TARGET_RATIO:g} times OpenSim's frames a second, {name}: {ratio:.0f}", ratio >= TARGET_RATIO)


def _target(what: str, reached: bool) -> None:
    print(f"  Target: {what}: {'reached' if reached else 'NOT REACHED'}.")


if __name__ == "__main__":
    print_inverse_dynamics()
