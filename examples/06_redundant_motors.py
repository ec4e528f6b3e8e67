"""Two legs turn a crank: six bars, two loops, one degree of freedom and five motors that can share one motion.

Prints what each way to share costs, and what comes out when the cheapest torques of hips and knees drive the machine
again. Writes 06_redundant_motors.png into the current folder.
"""

import numpy as np
from matplotlib.figure import Figure

from biomec.machines.closed_chain.inverse import inverse_dynamics
from biomec.machines.closed_chain.replay import replay
from biomec.machines.closed_chain.sharing import METHODS, comparison_table, shared
from biomec.machines.machine import load_machine
from biomec.machines.reference_points import reference_point_model

machine = load_machine("six-bar", {"cadence": 75.0})
turn = inverse_dynamics(reference_point_model(machine), np.linspace(0.0, machine.duration_s, 101))
legs = ["R hip", "R knee", "L hip", "L knee"]
print(comparison_table([shared(turn, legs, method) for method in METHODS]))

least = shared(turn, legs, "pointwise")
again = replay(turn, least, "spline")
off = np.rad2deg(np.abs(again.rate_off[:, 0]).max())
print(f"driven by these torques the crank is off its {6 * machine.values['cadence']:g} °/s by at most {off:.3f} °/s")

figure = Figure(figsize=(8, 6), layout="constrained")
angles = figure.subplots(2, 1, sharex=True)
for axes, method in zip(angles, ("pseudo-inverse", "pointwise"), strict=True):
    axes.plot(turn.time_s, shared(turn, legs, method).torques, label=legs)
    axes.set(title=method, ylabel="torque [N m]")
angles[0].legend(loc="upper right")
angles[1].set(xlabel="time [s]")
figure.savefig("06_redundant_motors.png")
