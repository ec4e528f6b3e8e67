"""From a recording to joint angles and moments, with the functions that a notebook needs.

The recording is a virtual push-up; put the path of a file of your own in its place. Writes
09_recording_to_loads.png into the current folder.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from matplotlib.figure import Figure

import biomec
from biomec.virtual import RecordOptions, push_up, record, write_acquisition

with TemporaryDirectory() as place:
    recorded = record(push_up("open", cycles=1), options=RecordOptions(rate_hz=50.0, plate_rate_hz=50.0))
    analysis = biomec.analyse(write_acquisition(recorded, Path(place))["emt"])

angles, moments = biomec.angles(analysis).matching("elbow flexion"), biomec.loads(analysis).matching("elbow flexion")
for name in angles.names:
    print(f"{name}: {angles[name].min():.0f} to {angles[name].max():.0f} degrees")

figure = Figure(figsize=(7, 5), layout="constrained")
for axes, curves, label in zip(figure.subplots(2, 1), (angles, moments), ("angle [°]", "moment [N m]"), strict=True):
    for side, cycles in curves.cycles().items():
        for c, name in enumerate(curves.names):
            axes.plot(cycles[:, :, c].T, label=name if side == "both" else f"{name}, {side} cycles")
    axes.set(ylabel=label, xlabel="% of the cycle")
    axes.legend()
figure.savefig("09_recording_to_loads.png")
