"""What OpenSim does in the benchmark, in a Python of its own: ``python opensim_job.py job.json``, answers on stdout.

It imports nothing of Biomec, so that the Python that has OpenSim need not have Biomec.

A job names a TRC file, a stretch of it, and a model: a file, or a tree of bodies, joints and markers in the standing
pose, in laboratory axes. All body frames are parallel to the laboratory in that pose.
"""

from __future__ import annotations

import json
import math
import sys
import time
from pathlib import Path
from typing import Any

try:
    import opensim as osim
except ImportError:  # who asks for the job reads only ANSWER
    osim = None

ANSWER = "answer: "  # OpenSim writes to stdout as well
ACCURACY = 1e-5  # default of its tool


def built_model(tree: dict[str, Any]) -> Any:
    """Model of a tree: ``root``, ``bodies`` {name: origin}, ``joints`` proximal first, ``markers`` {name: place}."""
    model = osim.Model()
    model.setName("person")
    bodies = {}
    for name in tree["bodies"]:
        bodies[name] = osim.Body(_plain(name), 1.0, osim.Vec3(0.0), osim.Inertia(0.1, 0.1, 0.1))
        model.addBody(bodies[name])
    root = tree["root"]
    start = osim.FreeJoint("root", model.getGround(), bodies[root["body"]])
    for k, value in enumerate([*root["turn"], *root["place"]]):
        start.upd_coordinates(k).setDefaultValue(value)
    model.addJoint(start)
    for joint in tree["joints"]:
        model.addJoint(_joint(joint, tree["bodies"], bodies))
    for name, (body, place) in tree["markers"].items():
        model.addMarker(osim.Marker(name, bodies[body], osim.Vec3(*_less(place, tree["bodies"][body]))))
    model.finalizeConnections()
    return model


def _joint(joint: dict[str, Any], origins: dict[str, list[float]], bodies: dict[str, Any]) -> Any:
    """CustomJoint, as in OpenSim's published models, that turns about one to three axes.

    Its BallJoint and PinJoint were found to be neither faster nor slower in the tool.
    """
    places = [osim.Vec3(*_less(joint["centre"], origins[joint[end]])) for end in ("proximal", "distal")]
    ends = (bodies[joint["proximal"]], bodies[joint["distal"]])
    name, axes = _plain(joint["name"]), joint["axes"]
    transform = osim.SpatialTransform()
    for k, axis in enumerate(axes):
        part = transform.updTransformAxis(k)
        part.setCoordinateNames(osim.ArrayStr(f"{name}_{k}", 1))
        part.setAxis(osim.Vec3(*axis))
        part.set_function(osim.LinearFunction(1.0, 0.0))  # copies; setFunction would take what Python frees
    for k in range(len(axes), 3):  # axes of turns that do not happen must differ from those that do
        transform.updTransformAxis(k).setAxis(osim.Vec3(*_another(axes, k)))
    zero = osim.Vec3(0.0)
    return osim.CustomJoint(name, ends[0], places[0], zero, ends[1], places[1], zero, transform)


def _another(axes: list[list[float]], k: int) -> list[float]:
    """Unit vector that is normal to the first axis, and to the second if there is one and ``k`` is 2."""
    a = axes[0]
    b = axes[1] if len(axes) > 1 else [1.0, 0.0, 0.0] if abs(a[0]) < 0.7 else [0.0, 1.0, 0.0]
    n = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    if len(axes) == 1 and k == 2:
        n = [a[1] * n[2] - a[2] * n[1], a[2] * n[0] - a[0] * n[2], a[0] * n[1] - a[1] * n[0]]
    length = math.sqrt(sum(x * x for x in n))
    return [x / length for x in n]


def _less(a: list[float], b: list[float]) -> list[float]:
    return [x - y for x, y in zip(a, b, strict=True)]


def _plain(name: str) -> str:
    return name.replace(" ", "_")


def fitted(job: dict[str, Any]) -> dict[str, Any]:
    """Run OpenSim's tool on a stretch of a trial, and say how long it took and how near its markers are."""
    model = osim.Model(job["model"]) if "model" in job else built_model(job["tree"])
    model.initSystem()
    folder, stretch = Path(job["folder"]), job["stretch_s"]
    present = set(osim.TimeSeriesTableVec3(job["trc"]).getColumnLabels())
    own = [model.getMarkerSet().get(k).getName() for k in range(model.getMarkerSet().getSize())]
    used = [name for name in own if name in present]

    tool = osim.InverseKinematicsTool()
    tool.setModel(model)
    tool.setMarkerDataFileName(job["trc"])
    tool.setStartTime(stretch[0])
    tool.setEndTime(stretch[1])
    tool.setOutputMotionFileName(str(folder / "motion.mot"))
    tool.setResultsDir(str(folder))
    tool.set_accuracy(ACCURACY)
    tool.set_report_errors(False)
    tasks = osim.IKTaskSet()
    for name in used:
        task = osim.IKMarkerTask()
        task.setName(name)
        task.setApply(True)
        task.setWeight(1.0)
        tasks.cloneAndAppend(task)
    tool.set_IKTaskSet(tasks)
    wall, cpu = time.perf_counter(), time.process_time()
    tool.run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    motion = osim.TimeSeriesTable(str(folder / "motion.mot"))
    inverse = inverse_dynamics(model, folder, stretch)
    return {
        "version": osim.GetVersion(),
        "wall_s": wall,
        "cpu_s": cpu,
        "frames": motion.getNumRows(),
        "coordinates": model.getNumCoordinates(),
        "markers": len(used),
        "rms_m": marker_rms(model, motion, job["trc"], used),
        **inverse,
    }


def inverse_dynamics(model: Any, folder: Path, stretch: list[float]) -> dict[str, Any]:
    """Run OpenSim's inverse dynamics tool on the motion that was found, without external loads, and time it."""
    tool = osim.InverseDynamicsTool()
    tool.setModel(model)
    tool.setCoordinatesFileName(str(folder / "motion.mot"))
    tool.setLowpassCutoffFrequency(6.0)
    tool.setStartTime(stretch[0])
    tool.setEndTime(stretch[1])
    tool.setResultsDir(str(folder))
    tool.setOutputGenForceFileName("loads.sto")
    wall, cpu = time.perf_counter(), time.process_time()
    tool.run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    frames = osim.TimeSeriesTable(str(folder / "loads.sto")).getNumRows()
    return {"inverse_wall_s": wall, "inverse_cpu_s": cpu, "inverse_frames": frames}


def marker_rms(model: Any, motion: Any, trc: str, used: list[str]) -> float:
    """Root mean square distance [m] of the measured markers from those of the model in the motion that was found."""
    table = osim.TimeSeriesTableVec3(trc)
    scale = 1e-3 if table.getTableMetaDataString("Units") == "mm" else 1.0
    state = model.initSystem()
    labels = motion.getColumnLabels()
    coordinates = [model.getCoordinateSet().get(label) for label in labels]
    turns = [c.getMotionType() == osim.Coordinate.Rotational for c in coordinates]
    markers = [(model.getMarkerSet().get(name), table.getColumnIndex(name)) for name in used]
    times = motion.getIndependentColumn()
    total, count = 0.0, 0
    for k in range(0, motion.getNumRows(), max(1, motion.getNumRows() // 50)):
        values = motion.getRowAtIndex(k)
        for j, coordinate in enumerate(coordinates):
            coordinate.setValue(state, math.radians(values[j]) if turns[j] else values[j], False)
        model.realizePosition(state)
        row = table.getRowAtIndex(table.getNearestRowIndexForTime(times[k]))
        for marker, column in markers:
            here, there = marker.getLocationInGround(state), row[column]
            away = sum((here[i] - scale * there[i]) ** 2 for i in range(3))
            if math.isfinite(away):
                total, count = total + away, count + 1
    return math.sqrt(total / count)


if __name__ == "__main__":
    osim.Logger.setLevelString("Error")
    print(ANSWER + json.dumps(fitted(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))))
