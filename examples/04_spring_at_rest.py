"""A bar on a hinge and a spring: where it comes to rest, by Newton's method with the exact stiffness matrix.

The spring acts on an added length coordinate, so its law sees the length itself. At rest RᵀQ = 0; the result is
compared with the torques about the hinge written in the bar's angle.

Writes 04_spring_at_rest.png into the current folder.
"""

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import brentq

from biomec.engine import LengthCoordinate, PositionSolver, Revolute, System, planar_bar
from biomec.engine.forces.springs import CoordinateElement, Linear
from biomec.engine.structure import null_space

MASS, LENGTH, STIFFNESS, REST = 2.0, 1.0, 60.0, 0.8
HOOK = np.array([0.0, 1.0])

bar = planar_bar("bar", LENGTH, MASS)
joints = [Revolute("pin", "ground.origin", "bar.A"), LengthCoordinate("spring", "ground.hook", "bar.B")]
system = System([bar], joints, ground={"hook": HOOK}, name="bar on a spring")
spring = CoordinateElement("spring", Linear(STIFFNESS, rest=REST), coordinate="spring")
solver, still = PositionSolver(system), np.zeros(system.n)
turn = np.array([[0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0]])  # ẋ_B, ẏ_B

q, steps = system.reference, []
for _ in range(20):
    forces = spring.force(system, q, still)
    B = turn[[int(np.argmin(np.abs(q[2:4])))]]  # the component of B that changes most
    R = null_space(system.jacobian(q), B).R
    unbalanced = R.T @ (system.gravity_force + forces.Q)
    steps.append(float(np.abs(unbalanced[0])))
    if steps[-1] < 1e-10:
        break
    # slope of RᵀQ along the motion: the spring's stiffness, and the turning of R by a difference
    ahead = solver.solve(q + 1e-6 * R[:, 0]).q[0]
    R_ahead = null_space(system.jacobian(ahead), B).R
    slope = -(R.T @ forces.K @ R) + (R_ahead - R).T @ (system.gravity_force + forces.Q) / 1e-6
    q = solver.solve(q - R[:, 0] * float(unbalanced[0] / slope[0, 0])).q[0]


def torque(angle: float) -> float:
    """Torque about the pin when the bar stands at ``angle`` from the x axis [N m]."""
    end = LENGTH * np.array([np.cos(angle), np.sin(angle)])
    pull = HOOK - end
    length = np.linalg.norm(pull)
    force = STIFFNESS * (length - REST) * pull / length
    return float(end[0] * force[1] - end[1] * force[0] - 0.5 * MASS * 9.81 * end[0])


found, expected = np.arctan2(q[3], q[2]), brentq(torque, -1.2, 1.0, xtol=1e-13)
print(f"rests at {np.rad2deg(found):.8f}° after {len(steps) - 1} steps; in one angle {np.rad2deg(expected):.8f}°")
print(f"spring {q[system.layout.added['spring']]:.4f} m long, {STIFFNESS * (q[-1] - REST):.2f} N")

figure = Figure(figsize=(6, 4), layout="constrained")
axes = figure.subplots()
axes.semilogy(steps, "o-")
axes.set(xlabel="step", ylabel="force out of balance [N]")
figure.savefig("04_spring_at_rest.png")
