"""Forward dynamics: the published table of formulations and integrators regenerated, and the cost of a step.

``python -m benchmarks.forward``. First the demonstration's push-up, simulated over 1834 steps of 2 ms from the
resultant of its consistent motion, and from that of the exact one ([Nunes2017] Tables 5.4 and 5.5). Then one step of
model M21 (21 bodies, 252 coordinates, 44 degrees of freedom) by every formulation, beside Pinocchio's articulated-body
algorithm and, if the environment variable BIOMEC_MUJOCO_PYTHON names a Python that has it, MuJoCo's step of the same
tree (21 bodies, spherical joints, free root, 66 degrees of freedom). Last, variable against fixed steps at equal error.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from benchmarks.timing import Task, interleaved
from biomec.engine.forces.applied import recorded, weight
from biomec.engine.forward.formulation import FormulationOptions, State
from biomec.engine.forward.integrators import IntegratorOptions
from biomec.engine.forward.lagrangian import StabilisedLagrange
from biomec.engine.forward.simulation import Simulation, Stepped, Stepper, simulate
from biomec.engine.forward.variable_step import simulate_to_tolerance
from biomec.pipeline.analysis import analyze
from biomec.reporting.demo import demo_session
from biomec.reporting.statistics.simulation_table import (
    CODES,
    INTEGRATORS,
    LAP,
    LEVELS,
    PUBLISHED_STEP_S,
    PUBLISHED_STEPS,
    TableOptions,
    movement,
    recorded_movement,
    simulation_table,
    written_table,
)
from tests.core.body.loads.people import pinocchio, push_up, truth_of
from tests.oracles.pinocchio_tree import PinocchioTree, pin

PASSES, STEPS = 15, 15
TARGET_MS, PUBLISHED_MS = 0.3, (43.0, 85.0)
MUJOCO = "BIOMEC_MUJOCO_PYTHON"
ABA = "Pinocchio aba, one evaluation"


def print_forward() -> None:
    """Print all three parts."""
    print_tables()
    print_steps()
    print_variable_step()


def print_tables() -> None:
    """Print the published table for the pipeline's motion of the demonstration, and for the exact motion."""
    with tempfile.TemporaryDirectory(prefix="biomec-forward-") as folder:
        acquisition, session = demo_session(Path(folder))
        analysis = analyze(session)
    options = TableOptions()
    rows = simulation_table(recorded_movement(analysis, options), options)
    print(written_table(rows, "Resultant of the consistent motion of the demonstration:"))
    rate, truth = acquisition.dynamic.rate_hz, acquisition.truth
    first = round(0.25 * rate)
    frames = slice(first, first + round(PUBLISHED_STEPS * PUBLISHED_STEP_S * rate) + 2)
    levels = [getattr(truth, name)[frames] for name in LEVELS]
    exact = movement(acquisition.model.system, np.arange(len(levels[0])) / rate, *levels)
    print(written_table(simulation_table(exact, options), "\nResultant of the exact motion:"))


class _Course:
    """A simulation that goes on when it is asked to."""

    def __init__(self, stepper: Stepper, q: np.ndarray, qdot: np.ndarray) -> None:
        self.stepper = stepper
        self.state: State = stepper.start(0.0, q, qdot)
        self.iterations: list[int] = []
        self.go(6)  # the past of multistep formulas
        self.iterations.clear()

    def go(self, steps: int = STEPS) -> None:
        """Take some steps."""
        for _ in range(steps):
            step = self.stepper.step(self.state, PUBLISHED_STEP_S)
            self.state = step.state
            self.iterations.append(step.iterations)


def print_steps() -> None:
    """Print milliseconds a step of M21 by every formulation, beside other programs."""
    moving = truth_of(push_up())
    system = moving.tree.system
    forces = recorded(0.02 * np.arange(len(moving.q)), moving.qddot @ system.mass_matrix.T)
    courses: dict[str, _Course] = {}
    for family in INTEGRATORS:
        options = IntegratorOptions(family, tolerance=1e-6)
        for code, kind in CODES.items():
            if family == "trapezoidal" or code != LAP:
                stepper = kind.stepper(system, forces, FormulationOptions(), options)
                courses[f"{family} {code}"] = _Course(stepper, moving.q[0], moving.qdot[0])
    theirs = pinocchio("m21")
    at, v, none = *theirs.random_state(np.random.default_rng(2))[:2], np.zeros(theirs.model.nv)

    def aba() -> None:
        for _ in range(STEPS):
            pin.aba(theirs.model, theirs.data, at, v, none)

    tasks = [Task(name, course.go, STEPS) for name, course in courses.items()]
    times = interleaved([*tasks, Task(ABA, aba, STEPS)], PASSES)
    print(f"\nOne step of M21, {PUBLISHED_STEP_S:g} s:")
    print(f"  {'':34}{'best ms':>9}{'median':>9}{'iterations':>12}{'times aba':>11}{'published/ours':>16}")
    for name, timing in times.items():
        best = timing.best_cpu
        passes = f"{np.mean(courses[name].iterations):12.1f}" if name in courses else f"{'':12}"
        ratio = f"{best / times[ABA].best_cpu:11.1f}" + (
            f"{1e-3 * PUBLISHED_MS[0] / best:16.0f}" if name in courses else ""
        )
        print(f"  {name:34}{1e3 * best:9.3f}{1e3 * float(np.median(timing.cpu)):9.3f}{passes}{ratio}")
    slow = [name for name in courses if 1e3 * times[name].best_cpu > TARGET_MS]
    verdict = "reached" if not slow else f"NOT REACHED by {', '.join(slow)}"
    print(f"  Target: one step ≤ {TARGET_MS:g} ms: {verdict} (published {PUBLISHED_MS[0]:g}-{PUBLISHED_MS[1]:g} ms).")
    print(_mujoco(theirs))


def _mujoco(tree: PinocchioTree) -> str:
    """A line about MuJoCo's step of the same tree."""
    python = os.environ.get(MUJOCO)
    if python is None:
        return f"  MuJoCo: not measured; set {MUJOCO} to a Python that has it."
    job = Path(__file__).with_name("mujoco_job.py")
    done = subprocess.run([python, str(job)], input=mujoco_model(tree), capture_output=True, text=True, check=True)
    version, velocities, step, forward = done.stdout.split()
    return (
        f"  MuJoCo {version}, {velocities} velocities: {1e-3 * float(step):.3f} ms a step (semi-implicit Euler), "
        f"{1e-3 * float(forward):.3f} ms for the accelerations alone."
    )


def mujoco_model(tree: PinocchioTree) -> str:
    """The same bodies and joints as XML for MuJoCo; frames stand at the joint centres along the laboratory's axes."""
    root = ElementTree.Element("mujoco")
    ElementTree.SubElement(root, "option", timestep=f"{PUBLISHED_STEP_S}", gravity=_written(tree.model.gravity.linear))
    made = {"ground": ElementTree.SubElement(root, "worldbody")}
    for joint in _from_the_root(tree):
        shift = tree.centre_of(joint.child) - tree.centre_of(joint.parent)
        element = ElementTree.SubElement(made[joint.parent], "body", name=joint.child, pos=_written(shift))
        made[joint.child] = element
        body = tree.system.layout.body(joint.child)
        R = body.attitude_matrix
        J = R @ body.inertia_matrix @ R.T
        lever = np.asarray(body.position) + R @ body.points["com"] - tree.centre_of(joint.child)
        six = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
        ElementTree.SubElement(
            element, "inertial", pos=_written(lever), mass=f"{body.mass:.17g}", fullinertia=_written(six)
        )
        ElementTree.SubElement(element, "joint", type="free" if joint.kind == "free" else "ball")
    return ElementTree.tostring(root, encoding="unicode")


def _from_the_root(tree: PinocchioTree) -> list:
    """Joints, each after the one that carries its parent."""
    left, known, order = list(tree.tree.joints), {"ground"}, []
    while left:
        one = next(joint for joint in left if joint.parent in known)
        left.remove(one)
        known.add(one.child)
        order.append(one)
    return order


def _written(values: object) -> str:
    return " ".join(f"{float(x):.17g}" for x in np.asarray(values))


def print_variable_step() -> None:
    """Print time and error of fixed and of variable steps of a person who lets go in the middle of a push-up."""
    moving = truth_of(push_up())
    system, q, qdot, duration = moving.tree.system, moving.q[60], moving.qdot[60], 0.4
    formulation, forces = StabilisedLagrange(system), weight(moving.tree.system)
    exact = simulate_to_tolerance(formulation, forces, q, qdot, duration, rtol=1e-12, atol=1e-13).q[-1]
    print(f"\nA person who lets go, {duration:g} s, stabilised Lagrange:")
    print(f"  {'':34}{'largest error':>14}{'steps':>8}{'seconds':>9}")
    for h in (0.004, 0.002, 0.001):
        for family in ("trapezoidal", "adams"):
            stepper = Stepped(formulation, forces, IntegratorOptions(family, tolerance=1e-10))
            _line(f"{family}, {1e3 * h:g} ms", lambda s=stepper, h=h: simulate(s, q, qdot, duration, h), exact)
    for method in ("runge-kutta 5", "runge-kutta 8"):
        for rtol in (1e-5, 1e-7, 1e-9):
            _line(
                f"{method}, variable, rtol {rtol:.0e}",
                lambda m=method, r=rtol: simulate_to_tolerance(
                    formulation, forces, q, qdot, duration, method=m, rtol=r, atol=0.01 * r
                ),
                exact,
            )


def _line(name: str, run: Callable[[], Simulation], exact: np.ndarray) -> None:
    found = run()
    error, seconds = np.abs(found.q[-1] - exact).max(), float(found.seconds.sum())
    print(f"  {name:34}{error:14.1e}{len(found.time_s) - 1:8}{seconds:9.3f}")


if __name__ == "__main__":
    print_forward()
