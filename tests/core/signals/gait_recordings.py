"""Two real gait recordings as trials, and what their markers are called."""

from dataclasses import replace

from biomec.io.c3d import read_c3d
from biomec.io.storage import read_storage
from biomec.io.trc import read_trc
from biomec.recording import Subject, Trial
from biomec.signals.kinematic_events import GaitMarkers
from tests.real_data import recording

PIG_FOOT = ("ANK", "MMA", "HEE", "LCA", "STL", "P1M", "D1M", "P5M", "D5M", "TOE", "HLX")
PIG_HAND = ("WRA", "WRB", "FIN")
PIG_SEGMENTS = {
    f"{limb}_{end}": [side + name for name in names]
    for limb, names in (("Pe", PIG_FOOT), ("Mao", PIG_HAND))
    for end, side in (("D", "R"), ("E", "L"))
}
PIG_GAIT = GaitMarkers(("SACR", "LASI", "RASI"), {"Left": "LHEE", "Right": "RHEE"}, {"Left": "LTOE", "Right": "RTOE"})

OPENSIM_FOOT = ("Heel", "Midfoot.Sup", "Midfoot.Lat", "Toe.Tip", "Toe.Lat", "Toe.Med")
OPENSIM_SEGMENTS = {
    "Pe_D": [f"R.{name}" for name in OPENSIM_FOOT],
    "Pe_E": [f"L.{name}" for name in OPENSIM_FOOT],
}
OPENSIM_GAIT = GaitMarkers(
    ("V.Sacral",), {"Left": "L.Heel", "Right": "R.Heel"}, {"Left": "L.Toe.Tip", "Right": "R.Toe.Tip"}
)


def pig_trial(name: str) -> Trial:
    """HC030A01 (static, both feet on plate 1) or HC030A05 (walk)."""
    return read_c3d(recording("gait_pig_pair", f"{name}.c3d"))


def opensim_trial() -> Trial:
    """Treadmill walk of the Gait2354 example: markers at 60 Hz, one force for each foot at 600 Hz, Y up; 72.6 kg."""
    markers = read_trc(recording("gait_opensim2354", "subject01_walk1.trc"))
    forces = read_storage(recording("gait_opensim2354", "subject01_walk1_grf.mot"))
    return replace(markers, plates=forces.plates, subject=Subject("subject01", mass_kg=72.6))
