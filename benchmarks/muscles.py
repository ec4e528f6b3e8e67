"""Muscles: paths and moment arms, sharing, contact forces; beside OpenSim's tools on a published walk.

``python -m benchmarks.muscles``. The geometry of all muscles of the body is timed on a walk of the virtual person, the
sharing of both legs (86 muscles, 12 rows) on one thread, beside DAQP called frame by frame. OpenSim's static
optimisation and joint reactions run on their published model, 54 muscles, from coordinates and forces of the ground;
ours of the same trial, with 86 muscles, begins at coordinates and net loads and ends at contact forces, on one thread
as well. Ratios to OpenSim are of processor time.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import opensim_muscle_job
from benchmarks.opensim_ik import ALL, ONE, with_threads
from benchmarks.opensim_tool import HOW_TO_INSTALL, opensim_python
from benchmarks.timing import Task, Timing, interleaved
from biomec.body.muscles.fitting import fit_muscles
from biomec.body.muscles.joint_contact import JointContacts, joint_contacts
from biomec.body.muscles.muscle_forces import muscle_forces
from biomec.body.muscles.muscle_paths import muscle_paths
from biomec.body.muscles.newton_qp import Costs
from biomec.body.muscles.set_file import load_muscle_set
from biomec.body.muscles.sharing import SharingProblem, quadratic_frame, share
from biomec.body.muscles.sharing_model import SharingModel, person_muscles
from biomec.engine.paths.drawn_paths import drawn_paths
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis
from tests.core.body.loads.performed import performed
from tests.real_data import FOLDER

PASSES = 7
TARGET_GEOMETRY_MS, TARGET_SHARING_MS, TARGET_RATIO, TARGET_EXACT = 0.2, 0.1, 200.0, 1e-9
GEOMETRY, ARMS = "paths of 194 muscles", "paths, moment arms and fibre forces"
DRAWN, POLYLINES, STATIONS, STEP = "drawn paths, compiled", "drawn paths, polyline by polyline", 16, 20
"""Paths for drawing: in compiled code, and by the Python that describes them; points of a path, frames between."""
SHARING, DAQP, CHAIN = "sharing of both legs", "DAQP, frame by frame", "paths, sharing and contact forces"


def print_muscles() -> None:
    """Print milliseconds a frame, ratios, and whether the targets are reached."""
    print("\nMuscles, milliseconds a frame (best of the passes; processor time beside it):")
    timings, apart = own_timings()
    for name, timing in timings.items():
        print(f"  {name:<52}{1e3 * timing.best:8.3f}{1e3 * timing.best_cpu:9.3f}")
    print(f"  compiled drawing is {timings[POLYLINES].best_cpu / timings[DRAWN].best_cpu:.0f} times as fast")
    geometry, sharing = timings[f"{ARMS}, {ONE}"], timings[f"{SHARING}, {ONE}"]
    print(f"  two threads bring {geometry.best / timings[f'{ARMS}, {ALL}'].best:.2f} times the speed of one")
    _target("geometry and arms of the whole body on one thread", 1e3 * geometry.best_cpu, TARGET_GEOMETRY_MS, "ms")
    _target("sharing of both legs on one thread", 1e3 * sharing.best_cpu, TARGET_SHARING_MS, "ms")
    _target("distance of activations from DAQP's", apart, TARGET_EXACT, "")
    print("\nOpenSim's StaticOptimization and JointReaction:", end=" ")
    python, walk = opensim_python(), FOLDER / "gait_opensim2354"
    if python is None:
        print(HOW_TO_INSTALL)
        return
    if not walk.exists():
        print("the walk that is distributed with OpenSim is not beside the project.")
        return
    ours_ms = 1e3 * walk_chain(walk).best_cpu
    theirs = opensim(python, walk)
    sharing_ms, reaction_ms = (1e3 * theirs[f"{part}_cpu_s"] / theirs["frames"] for part in ("sharing", "reaction"))
    print(f"{theirs['frames']} frames, {theirs['muscles']} muscles, version {theirs['version']}.")
    print(f"  static optimisation {sharing_ms:.1f}, joint reactions {reaction_ms:.2f}; ours {ours_ms:.3f} ms a frame")
    print(f"  OpenSim / ours: {(sharing_ms + reaction_ms) / ours_ms:.0f} (target {TARGET_RATIO:.0f})")


def _target(what: str, value: float, limit: float, unit: str) -> None:
    reached = "reached" if value <= limit else "missed"
    print(f"  {what}: {value:.3g} {unit}, {value / limit:.2g} of the target {limit:g} {unit}: {reached}")


def own_timings() -> tuple[dict[str, Timing], float]:
    """Geometry of the whole body and sharing of the legs, and how far activations are from those of DAQP."""
    case = performed("walk")
    person, q, qdot, loads = case.acquisition.model, case.q, case.qdot, case.loads()
    whole, legs = (fit_muscles(person, load_muscle_set(name)) for name in ("whole-body", "legs"))

    def paths() -> object:
        return muscle_paths(person, q, qdot, whole, motion=case.motion)

    def arms() -> SharingModel:
        return person_muscles(muscle_paths(person, q, qdot, whole, motion=case.motion), loads)

    problem = sharing_problem(person_muscles(muscle_paths(person, q, qdot, legs, motion=case.motion), loads))

    def exact() -> list[Any]:
        return [quadratic_frame(problem, t) for t in range(len(q))]

    tasks = [
        Task(f"{name}, {threads}", partial(with_threads, threads, run), len(q))
        for name, run in ((GEOMETRY, paths), (ARMS, arms), (SHARING, partial(share, problem)))
        for threads in (ALL, ONE)
    ]
    traced, some = muscle_paths(person, q, qdot, whole, motion=case.motion), range(0, len(q), STEP)

    def drawn() -> list[Any]:
        moving = traced.motion.R_WB
        return [drawn_paths(traced.paths, moving[t], traced.origin[t], traced.theta[t], t, STATIONS) for t in some]

    def polylines() -> list[Any]:
        return [[traced.polyline(t, m) for m in range(len(traced.names))] for t in some]

    tasks += [Task(DRAWN, drawn, len(some)), Task(POLYLINES, polylines, len(some))]
    timings = interleaved([*tasks, Task(DAQP, exact, len(q))], PASSES)
    muscles = problem.columns.shape[1] - problem.columns.shape[2]
    apart = np.abs(share(problem).x[:, :muscles] - np.array(exact())[:, :muscles]).max()
    return timings, float(apart)


def sharing_problem(model: SharingModel) -> SharingProblem:
    """The programme of all frames by squares, with reserves of 1 N·m, as muscle forces pose it for legs."""
    frames, muscles, rows = model.arms.shape
    columns = np.zeros((frames, muscles + rows, rows))
    columns[:, :muscles] = model.arms * model.rigid.optimum[..., None]
    columns[:, muscles + np.arange(rows), np.arange(rows)] = 1.0
    low, high = (np.full((frames, muscles + rows), value) for value in (-np.inf, np.inf))
    low[:, :muscles], high[:, :muscles] = 0.01, 1.0
    still = np.zeros((frames, muscles + rows))
    costs = Costs(np.full(muscles + rows, 2), np.ones(muscles + rows), still, still, low, high)
    return SharingProblem(columns, np.asarray(model.rows.wanted), costs, reserves=muscles)


def walk_chain(folder: Path) -> Timing:
    """From coordinates and net loads of the published walk to contact forces, on one thread."""
    analysis = Analysis(import_session(folder / "subject01_walk1.trc")).run_until("loads")
    person, motion, loads = analysis.body.person, analysis.motion, analysis.loads
    fitted = fit_muscles(person, load_muscle_set("legs"))

    def chain() -> JointContacts:
        traced = muscle_paths(person, motion.q, motion.qdot, fitted, motion=loads.segments)
        model = person_muscles(traced, loads.newton_euler)
        return joint_contacts(model, muscle_forces(model), traced.motion, person.model, person.joint_axes())

    task = Task(CHAIN, partial(with_threads, ONE, chain), len(motion.q))
    return interleaved([task], PASSES)[CHAIN]


def opensim(python: str, folder: Path) -> dict[str, Any]:
    """What OpenSim's tools take for the stretch of the published walk with forces of the ground."""
    with tempfile.TemporaryDirectory(prefix="biomec-opensim-") as place:
        job = Path(place) / "job.json"
        about = {
            "model": str(folder / "reference" / "subject01_simbody.osim"),
            "coordinates": str(folder / "reference" / "subject01_walk1_ik.mot"),
            "loads": str(folder / "subject01_walk1_grf.xml"),
            "stretch_s": (0.6, 1.4),
            "folder": place,
        }
        job.write_text(json.dumps(about), "utf-8")
        command = [python, str(Path(opensim_muscle_job.__file__)), str(job)]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    answer = [line for line in done.stdout.splitlines() if line.startswith(opensim_muscle_job.ANSWER)]
    if done.returncode or not answer:
        raise RuntimeError(f"OpenSim's tools failed:\n{done.stdout}\n{done.stderr}")
    return dict(json.loads(answer[0].removeprefix(opensim_muscle_job.ANSWER)))


if __name__ == "__main__":
    print_muscles()
