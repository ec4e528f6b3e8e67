"""Noisy coordinates of a human-like tree made consistent, hands and feet held where they were measured.

Positions, then velocities and accelerations. Writes 02_whole_body_consistency.png into the current folder.
"""

import numpy as np
from matplotlib.figure import Figure

from biomec.engine import PositionSolver
from biomec.engine.projection import Projector
from biomec.engine.reference.human import contact_points, human_motion, human_system, human_tree
from biomec.engine.reference.trees import perturbed
from biomec.engine.structure import structure

RATE_HZ = 100.0

rng = np.random.default_rng(1)
tree, system = human_tree(), human_system()
q_true = tree.coordinates(system, human_motion(tree, 100, rng))  # a motion without violation
q_star = perturbed(system, q_true, rng)  # every body off by 3 mm and 0.9°, as skin markers are
contacts = contact_points(system, q_star)
print(structure(system, contacts=contact_points(system, system.reference[None])))

result = PositionSolver(system).solve(q_star, contacts=contacts)
print(result.summary())
print(f"iterations {result.iterations.mean():.1f} on average, {result.iterations.max()} at most")
print("\nmean violation by type of row    before     after")
for kind in result.before:
    print(f"{kind:30s} {result.before[kind].mean():9.1e} {result.after[kind].mean():9.1e}")

projector = Projector(system, contacts=contacts)
qdot = projector.velocities(result.q, np.gradient(result.q, 1.0 / RATE_HZ, axis=0))
qddot = projector.accelerations(result.q, qdot.value, np.gradient(qdot.value, 1.0 / RATE_HZ, axis=0))
print(f"\nvelocities:    violation {qdot.before.max():.1e} before, {qdot.after.max():.1e} after")
print(f"accelerations: violation {qddot.before.max():.1e} before, {qddot.after.max():.1e} after")

figure = Figure(figsize=(9, 4), layout="constrained")
left, right = figure.subplots(1, 2)
kinds, place = list(result.before), np.arange(len(result.before))
for shift, when, label in ((-0.2, result.before, "before"), (0.2, result.after, "after")):
    left.bar(place + shift, [when[kind].mean() for kind in kinds], width=0.4, label=label)
left.set(yscale="log", ylim=(None, 100.0), ylabel="mean violation (units differ by type)", xticks=place)
left.set_xticklabels(kinds, rotation=30)
left.legend()
thigh, shank = (system.layout.point(name) for name in ("thigh_R.knee_R", "shank_R.knee_R"))
for q, label in ((q_star, "before"), (result.q, "after")):
    right.semilogy(np.arange(len(q)) / RATE_HZ, 1e3 * np.linalg.norm(thigh(q) - shank(q), axis=1), label=label)
right.set(xlabel="time [s]", ylabel="gap in the right knee [mm]")
right.legend()
figure.savefig("02_whole_body_consistency.png")
