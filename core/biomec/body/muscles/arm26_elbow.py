"""The elbow of Arm26 by itself: a forearm on a hinge, moved by six muscles [Holzbaur2005].

The upper arm hangs and does not move: its frame is the laboratory, and so is the trunk's, shifted by the shoulder.
Masses and places are those of the source, in its body frames; nobody's size enters. For examples and checks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, skew
from biomec.body.muscles.set_file import load_muscle_set
from biomec.body.muscles.transfer import Placed, cord_of, sided, surface_of
from biomec.engine.body import Body
from biomec.engine.forces.hill_muscle import HillParameters
from biomec.engine.joints import Revolute
from biomec.engine.layout import GROUND
from biomec.engine.paths.cords import Cords, Surface
from biomec.engine.rotations import unit
from biomec.engine.system import System
from biomec.recording.marker_set import Side

FOREARM = "forearm"
SHOULDER = (-0.017545, -0.007, 0.17)  # [m] in the trunk
ELBOW = (0.0061, -0.2904, -0.0123)  # [m] in the upper arm
AXIS = (0.04940001, 0.03660001, 0.99810825)  # of flexion
MASS_KG, CENTRE = 1.534315, (0.0, -0.181479, 0.0)  # of forearm and hand, from the elbow [m]
INERTIA = (0.019281, 0.001571, 0.020062)  # [kg m²]
PLACES = {"base": (GROUND, SHOULDER), "r_humerus": (GROUND, (0.0, 0.0, 0.0)), "r_ulna_radius_hand": (FOREARM, None)}


@dataclass(frozen=True, eq=False)
class Elbow:
    """A hinge with muscles: system, paths over "ground" and the forearm, parameters, and the axis (3,) of flexion."""

    system: System
    cords: Cords
    muscles: HillParameters
    axis: FloatArray

    def state(self, flexion: float, speed: float = 0.0) -> tuple[FloatArray, FloatArray]:
        """q and q̇ (n,) at a flexion [rad] and its rate [rad/s]."""
        K = skew(self.axis)
        R = np.eye(3) + np.sin(flexion) * K + (1.0 - np.cos(flexion)) * K @ K
        q = np.concatenate([np.asarray(ELBOW), R.T.ravel()])
        spin = np.concatenate([np.zeros(3), *(np.cross(speed * self.axis, q[3 * k : 3 * k + 3]) for k in (1, 2, 3))])
        return q, spin

    def flexion(self, q: FloatArray) -> FloatArray:
        """Angle (T,) [rad] of coordinates (T, n), from −π to π."""
        x, start = q[..., 3:6], np.array([1.0, 0.0, 0.0])
        across = np.cross(self.axis, start)
        flat = start - (start @ self.axis) * self.axis
        return np.asarray(np.arctan2(x @ across, x @ flat))


def arm26_elbow() -> Elbow:
    """Build the elbow; the muscles are those of the set "arm26", in its order."""
    chosen = [muscle for muscle in load_muscle_set("arm26").muscles if muscle.side is Side.RIGHT]
    axis = unit(np.array(AXIS))
    forearm = Body(
        FOREARM, {}, ("origin", "x", "y", "z"), mass=MASS_KG, centre_of_mass=CENTRE, inertia=np.diag(INERTIA),
        position=ELBOW,
    )  # fmt: skip
    hinge = Revolute("elbow", "ground.elbow", f"{FOREARM}.origin", axis="ground.axis")
    system = System([forearm], [hinge], name="elbow", ground={"elbow": np.array(ELBOW)}, directions={"axis": axis})
    places = {}
    for source, (body, joint) in PLACES.items():
        shift = np.zeros(3) if joint is None else -np.asarray(joint)
        places[source] = Placed(body, np.eye(3), shift, np.eye(3), np.eye(3), mirror=False)
    cords = tuple(cord_of(muscle, muscle.name, places) for muscle in chosen)
    surfaces: dict[str, Surface] = {}
    for muscle in chosen:
        for use in muscle.wraps:
            wrap, name = muscle.source.wraps[use.wrap], sided(muscle, use.wrap)
            surfaces[name] = surface_of(name, wrap, places[wrap.body])
    numbers = ([getattr(muscle, name) for muscle in chosen] for name in ("fmax", "lopt", "lts", "pennation", "vmax"))
    return Elbow(
        system, Cords((GROUND, FOREARM), cords, tuple(surfaces.values())), HillParameters(*map(np.array, numbers)), axis
    )
