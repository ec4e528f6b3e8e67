"""A four-bar linkage through a full turn: the rocker's angle against the crank's, and a picture of the linkage.

Writes 01_four_bar.png into the current folder.
"""

import numpy as np
from matplotlib.figure import Figure

from biomec.engine.description import load_system
from biomec.engine.driven_motion import follow_drivers, velocities
from biomec_resources import resource

system = load_system(resource("mechanisms", "four-bar.toml"))
crank = np.deg2rad(90.0) + np.linspace(0.0, 2.0 * np.pi, 181)  # the file describes it with the crank upright
motion = follow_drivers(system, system.drive({"crank angle": crank}))
print(f"{(motion.status == 0).sum()} of {len(crank)} positions reached, largest violation {motion.violation.max():.0e}")

along = system.layout.vector("rocker.x")(motion.q)  # (frames, 2)
rocker = np.unwrap(np.arctan2(along[:, 1], along[:, 0]))
print(f"the rocker swings from {np.rad2deg(rocker.min()):.1f}° to {np.rad2deg(rocker.max()):.1f}°")

rates = velocities(system, motion.q, system.drive({"crank angle": crank}, rates={"crank angle": 1.0}))
speed = np.linalg.norm(system.layout.point("coupler.com").rate(rates.value), axis=1)
print(f"at 1 rad/s the middle of the coupler moves at {speed.min():.3f} to {speed.max():.3f} m/s")

figure = Figure(figsize=(9, 4), layout="constrained")
left, right = figure.subplots(1, 2)
names = ("crank.O", "crank.A", "coupler.B", "rocker.P")
path = np.stack([system.layout.point(name)(motion.q) for name in names], axis=1)  # (frames, 4, 2)
for frame in path[::20]:
    left.plot(*frame.T, "o-", color="tab:blue", alpha=0.4)
left.plot(*path[:, 2].T, color="tab:orange", label="joint B")
left.set(aspect="equal", xlabel="x [m]", ylabel="y [m]")
left.legend()
right.plot(np.rad2deg(crank), np.rad2deg(rocker))
right.set(xlabel="crank [°]", ylabel="rocker [°]")
figure.savefig("01_four_bar.png")
