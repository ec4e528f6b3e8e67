"""OpenSim's static optimisation and joint reactions in a Python of its own: ``python opensim_muscle_job.py job.json``.

It imports nothing of Biomec. A job names a model, coordinates, forces of the ground and their description, and a
stretch; the answer is printed on one line.
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
FREE_N = 1e4  # optimal force of the actuators of the pelvis: as good as free
RESERVE_NM = 1.0  # of those of all other coordinates: expensive


def with_reserves(file: str) -> Any:
    """The model with an actuator at every coordinate."""
    model = osim.Model(file)
    names = [model.getCoordinateSet().get(k).getName() for k in range(model.getCoordinateSet().getSize())]
    for name in names:
        actuator = osim.CoordinateActuator(name)
        actuator.setName(f"{name}_reserve")
        actuator.setOptimalForce(FREE_N if name.startswith("pelvis") else RESERVE_NM)
        actuator.setMinControl(-1e6)
        actuator.setMaxControl(1e6)
        model.addForce(actuator)
    model.initSystem()
    return model


def analysed(job: dict[str, Any], analysis: Any) -> tuple[float, float]:
    """Seconds of the clock and of the processor that one analysis of the trial takes, with reading and writing."""
    folder = Path(job["folder"])
    model = folder / "with_reserves.osim"
    with_reserves(job["model"]).printToXML(str(model))
    tool = osim.AnalyzeTool()
    tool.setName("walk")
    tool.setModelFilename(str(model))
    tool.setCoordinatesFileName(job["coordinates"])
    tool.setLowpassCutoffFrequency(6.0)
    tool.setExternalLoadsFileName(job["loads"])
    tool.setInitialTime(job["stretch_s"][0])
    tool.setFinalTime(job["stretch_s"][1])
    tool.setResultsDir(job["folder"])
    tool.setReplaceForceSet(False)
    tool.setSolveForEquilibrium(False)
    analysis.setStartTime(job["stretch_s"][0])
    analysis.setEndTime(job["stretch_s"][1])
    tool.updAnalysisSet().cloneAndAppend(analysis)
    tool.printToXML(str(folder / "setup.xml"))
    ready = osim.AnalyzeTool(str(folder / "setup.xml"))  # only a tool from a file reads what it needs
    wall, cpu = time.perf_counter(), time.process_time()
    if not ready.run():
        raise RuntimeError("the tool did not run")
    return time.perf_counter() - wall, time.process_time() - cpu


def measured(job: dict[str, Any]) -> dict[str, Any]:
    """Both analyses, with reading and writing of files."""
    folder = Path(job["folder"])
    sharing = osim.StaticOptimization()
    sharing.setName("StaticOptimization")
    sharing.setUseModelForceSet(True)
    sharing.setActivationExponent(2)
    sharing.setUseMusclePhysiology(True)
    wall, cpu = analysed(job, sharing)
    forces = next(folder.glob("*StaticOptimization_force.sto"))
    reaction = osim.JointReaction()
    reaction.setName("JointReaction")
    reaction.setForcesFileName(str(forces))
    reaction_wall, reaction_cpu = analysed(job, reaction)
    found = osim.TimeSeriesTable(str(next(folder.glob("*StaticOptimization_activation.sto"))))
    return {
        "version": osim.GetVersion(),
        "frames": found.getNumRows(),
        "muscles": osim.Model(job["model"]).getMuscles().getSize(),
        "sharing_wall_s": wall,
        "sharing_cpu_s": cpu,
        "reaction_wall_s": reaction_wall,
        "reaction_cpu_s": reaction_cpu,
    }


if __name__ == "__main__":
    osim.Logger.setLevelString("Error")
    print(ANSWER + json.dumps(measured(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))))
