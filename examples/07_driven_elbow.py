"""An elbow that its muscles move: the six muscles of Arm26, with activation dynamics and elastic tendons.

Excitations switch the flexors on for a tenth of a second; energy is balanced to the integrator's error. Writes
07_driven_elbow.png into the current folder.
"""

import numpy as np
from matplotlib.figure import Figure

from biomec.body.muscles.arm26_elbow import arm26_elbow
from biomec.engine.forces.activation import played
from biomec.engine.forces.applied import weight
from biomec.engine.forces.muscles import HillMuscles
from biomec.engine.forward.independent import IndependentCoordinates
from biomec.engine.forward.variable_step import simulate_to_tolerance

elbow = arm26_elbow()
rest, on = [0.02] * 6, [0.02] * 3 + [0.3] * 3  # triceps first, then biceps and brachialis
excitation = played([0.0, 0.05, 0.06, 0.16, 0.17], [rest, rest, on, on, rest])
muscles = HillMuscles(elbow.system, elbow.cords, elbow.muscles, excitation)
run = simulate_to_tolerance(
    IndependentCoordinates(elbow.system, stabilised=True), weight(elbow.system), *elbow.state(np.deg2rad(20.0)), 0.6,
    method="radau", rtol=1e-8, atol=1e-10, longest_s=0.005, inner=muscles,
)  # fmt: skip
did = muscles.history(run.time_s, run.q, run.qdot, run.inner)
flexion = np.rad2deg(elbow.flexion(run.q))
left = run.kinetic + run.potential + did.elastic_energy - did.contractile_work + did.damping_work
print(f"flexion rises from {flexion[0]:.1f}° to {flexion.max():.1f}° at {run.time_s[flexion.argmax()]:.3f} s")
print(f"muscles put in {did.contractile_work[-1]:.3f} J, damping took {did.damping_work[-1]:.3f} J, "
      f"balanced to {np.ptp(left):.0e} J")  # fmt: skip

figure = Figure(figsize=(7, 8), layout="constrained")
axes = figure.subplots(3, 1, sharex=True)
axes[0].plot(run.time_s, flexion)
axes[0].set(ylabel="flexion [°]")
for m, name in enumerate(did.names):
    axes[1].plot(run.time_s, did.activation[:, m], label=name.removesuffix("_r"))
    axes[2].plot(run.time_s, did.force[:, m])
axes[1].set(ylabel="activation")
axes[1].legend(ncols=2)
axes[2].set(ylabel="force [N]", xlabel="time [s]")
figure.savefig("07_driven_elbow.png")
