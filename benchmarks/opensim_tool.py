"""OpenSim's inverse kinematics and inverse dynamics tools in a process of its own, and the model of a person for it.

OpenSim is not a dependency. It is looked for in the Python that the variable BIOMEC_OPENSIM_PYTHON names, then in
the one that runs.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from benchmarks import opensim_job
from biomec.base.arrays import FloatArray
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.virtual.skeleton import Skeleton

VARIABLE = "BIOMEC_OPENSIM_PYTHON"
HOW_TO_INSTALL = (
    "not installed. To compare with it, make a virtual environment, `pip install opensim` in it, and set\n"
    f"  {VARIABLE} to its python; it is not a part of Biomec and needs not be in the same environment."
)


@dataclass(frozen=True)
class Fit:
    """What OpenSim's tool did to a stretch of a trial; seconds are of the tool's run alone, with reading and writing.

    rms_m : distance of the measured markers from those of the model in the motion that the tool wrote
    inverse_… : what its inverse dynamics tool then did to that motion, without external loads
    """

    version: str
    wall_s: float
    cpu_s: float
    frames: int
    coordinates: int
    markers: int
    rms_m: float
    inverse_wall_s: float
    inverse_cpu_s: float
    inverse_frames: int

    @property
    def inverse_us(self) -> float:
        """Microseconds of a processor for a frame of its inverse dynamics."""
        return 1e6 * self.inverse_cpu_s / self.inverse_frames

    @property
    def wall_ms(self) -> float:
        """Milliseconds of the clock for a frame."""
        return 1e3 * self.wall_s / self.frames

    @property
    def cpu_ms(self) -> float:
        """Milliseconds of a processor for a frame."""
        return 1e3 * self.cpu_s / self.frames


def opensim_python() -> str | None:
    """Python that has OpenSim, if there is one."""
    named = os.environ.get(VARIABLE)
    if named:
        return named
    return sys.executable if importlib.util.find_spec("opensim") else None


def fit(python: str, trc: Path, stretch_s: tuple[float, float], model: Path | dict[str, Any]) -> Fit:
    """Fit a model, a file or a tree from `tree_of`, to a stretch of a TRC file."""
    with tempfile.TemporaryDirectory(prefix="biomec-opensim-") as folder:
        job = Path(folder) / "job.json"
        about = {"model": str(model)} if isinstance(model, Path) else {"tree": model}
        job.write_text(json.dumps({**about, "trc": str(trc), "stretch_s": stretch_s, "folder": folder}), "utf-8")
        done = subprocess.run(
            [python, str(Path(opensim_job.__file__)), str(job)],
            cwd=folder,  # OpenSim leaves its log where it is started
            capture_output=True,
            text=True,
            check=False,
        )
    answer = [line for line in done.stdout.splitlines() if line.startswith(opensim_job.ANSWER)]
    if done.returncode or not answer:
        raise RuntimeError(f"OpenSim's tool failed:\n{done.stdout}\n{done.stderr}")
    return Fit(**json.loads(answer[0].removeprefix(opensim_job.ANSWER)))


def tree_of(body: SubjectModel, start: FloatArray) -> dict[str, Any]:
    """The joints and markers of a person's model as a tree of joint coordinates, for OpenSim.

    start : (n,) coordinates at which the root is where the search begins

    The ellipsoids of the scapulae, which close loops, are left out: four degrees of freedom more in the 21 segments.
    """
    skeleton = Skeleton(body.system)
    bodies = {name: skeleton.point(f"{name}.origin").tolist() for name in skeleton.bodies}
    root = body.model.roots[0]
    turn = Rotation.from_matrix(body.attitudes(start)[root] @ skeleton.bodies[root].attitude_matrix.T)
    joints = [
        {
            "name": joint.name,
            "proximal": joint.proximal,
            "distal": joint.distal,
            "centre": joint.centre.tolist(),
            "axes": [axis.tolist() for axis in joint.axes],
        }
        for joint in skeleton.joints.values()
    ]
    markers = {name: (owner, skeleton.point(f"{owner}.{name}").tolist()) for name, owner in body.followed.items()}
    place = np.asarray(body.system.layout.point(f"{root}.origin")(start))
    return {
        "root": {"body": root, "turn": turn.as_euler("XYZ").tolist(), "place": place.tolist()},
        "bodies": bodies,
        "joints": joints,
        "markers": markers,
    }
