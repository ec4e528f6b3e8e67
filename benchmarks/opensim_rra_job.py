"""OpenSim's residual reduction in a Python of its own: ``python opensim_rra_job.py job.json``.

It imports nothing of Biomec. A job names a model, coordinates, forces of the ground and their description, and a
stretch; the answer is printed on one line. Actuators and tracking tasks are written here in the manner of OpenSim's
example of the same walk: weak residual actuators, strong joints, gains of critical damping.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

try:
    import opensim as osim
except ImportError:  # who asks for the job reads only ANSWER
    osim = None

ANSWER = "answer: "  # OpenSim writes to stdout as well
RESIDUAL_N, RESIDUAL_NM = {"FX": 4.0, "FY": 8.0, "FZ": 4.0}, {"MX": 2.0, "MY": 2.0, "MZ": 2.0}  # optimal forces
JOINT_NM = 300.0
STIFFNESS, DAMPING = 100.0, 20.0  # of every task: critically damped, 10 rad/s
PELVIS, JOINT = 5.0, 10.0  # weights
AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def actuators(model: Any, root: str, file: Path) -> None:
    """Residual actuators at the root's centre of mass and one actuator for every other coordinate."""
    forces = osim.ForceSet()
    centre = model.getBodySet().get(root).getMassCenter()
    for name, size in {**RESIDUAL_N, **RESIDUAL_NM}.items():
        axis = osim.Vec3(*AXES[name[1]])
        if name[0] == "F":
            one = osim.PointActuator(root)
            one.set_point(centre)
            one.set_point_is_global(False)
            one.set_direction(axis)
            one.set_force_is_global(True)
        else:
            one = osim.TorqueActuator()
            one.set_bodyA(root)
            one.set_bodyB("ground")
            one.set_axis(axis)
            one.set_torque_is_global(True)
        forces.cloneAndAppend(_named(one, name, size))
    coordinates = model.getCoordinateSet()
    for k in range(coordinates.getSize()):
        name = coordinates.get(k).getName()
        if not name.startswith("pelvis"):
            forces.cloneAndAppend(_named(osim.CoordinateActuator(name), name, JOINT_NM))
    forces.printToXML(str(file))


def _named(one: Any, name: str, size: float) -> Any:
    one.setName(name)
    one.setOptimalForce(size)
    one.setMinControl(-1e6)
    one.setMaxControl(1e6)
    return one


def tasks(model: Any, file: Path) -> None:
    """Every coordinate is followed."""
    found = osim.CMC_TaskSet()
    coordinates = model.getCoordinateSet()
    for k in range(coordinates.getSize()):
        name = coordinates.get(k).getName()
        task = osim.CMC_Joint(name)
        task.setName(name)
        task.setActive(True, False, False)
        task.setKP(STIFFNESS)
        task.setKV(DAMPING)
        task.setKA(1.0)
        task.setWeight(PELVIS if name.startswith("pelvis") else JOINT)
        found.cloneAndAppend(task)
    found.printToXML(str(file))


def measured(job: dict[str, Any]) -> dict[str, Any]:
    """One run, with reading and writing of files; residuals are those of its actuators."""
    folder = Path(job["folder"])
    model = osim.Model(job["model"])
    model.initSystem()
    actuators(model, job["root"], folder / "actuators.xml")
    tasks(model, folder / "tasks.xml")
    tool = osim.RRATool()
    tool.setName("walk")
    tool.setModelFilename(job["model"])
    tool.setReplaceForceSet(True)
    files = osim.ArrayStr()
    files.append(str(folder / "actuators.xml"))
    tool.setForceSetFiles(files)
    tool.setTaskSetFileName(str(folder / "tasks.xml"))
    tool.setDesiredKinematicsFileName(job["coordinates"])
    tool.setLowpassCutoffFrequency(6.0)
    tool.setExternalLoadsFileName(job["loads"])
    tool.setInitialTime(job["stretch_s"][0])
    tool.setFinalTime(job["stretch_s"][1])
    tool.setAdjustCOMToReduceResiduals(True)
    tool.setAdjustedCOMBody("torso")
    tool.setOutputModelFileName(str(folder / "adjusted.osim"))
    tool.setResultsDir(job["folder"])
    tool.printToXML(str(folder / "setup.xml"))
    ready = osim.RRATool(str(folder / "setup.xml"))  # only a tool from a file reads what it needs
    wall, cpu = time.perf_counter(), time.process_time()
    if not ready.run():
        raise RuntimeError("the tool did not run")
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    lines = next(folder.glob("*Actuation_force.sto")).read_text("utf-8").splitlines()
    head = next(k for k, line in enumerate(lines) if line.strip() == "endheader")
    lines = lines[head + 1 :]  # a time may stand twice, which OpenSim's own reader refuses
    names, rows = lines[0].split(), [[float(cell) for cell in line.split()] for line in lines[1:]]
    left = {}
    for name in (*RESIDUAL_N, *RESIDUAL_NM):
        column = [row[names.index(name)] for row in rows]
        left[name] = [(sum(x * x for x in column) / len(column)) ** 0.5, max(abs(x) for x in column)]
    return {"version": osim.GetVersion(), "wall_s": wall, "cpu_s": cpu, "left": left}


if __name__ == "__main__":
    osim.Logger.setLevelString("Error")
    print(ANSWER + json.dumps(measured(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))))
