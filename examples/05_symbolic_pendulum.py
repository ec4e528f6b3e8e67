"""A triple pendulum in symbols: its equations of motion derived, written as C, linearised and simulated.

The frequencies of small swings come from the linear model; the same motion is then simulated in full. Writes
05_symbolic_pendulum.png into the current folder: the equations, typeset, above the motion.
"""

import numpy as np
from matplotlib.figure import Figure

from biomec.machines.machine import load_machine
from biomec.machines.symbolic.compiled import compiled
from biomec.machines.symbolic.linear import equilibrium, linearise
from biomec.machines.symbolic.machine_equations import machine_equations
from biomec.machines.symbolic.placing import start_state
from biomec.machines.symbolic.simulation import simulate
from biomec.machines.symbolic.source import to_source
from biomec.machines.symbolic.typeset import formulae

machine = load_machine("triple-pendulum", {"start1": -85.0, "start2": -88.0, "start3": -92.0})
equations = machine_equations(machine)
for k, coordinate in enumerate(equations.coordinates.about):
    print(f"{coordinate}: gravity {equations.E[k]}")

numbers = compiled(equations)
hanging, torques = equilibrium(numbers, start_state(machine)[:3])
model = linearise(numbers, hanging, torques)
frequencies = sorted(abs(model.eigenvalues.imag[model.eigenvalues.imag > 0]) / (2 * np.pi))
print("hangs at", np.rad2deg(hanging[:3]).round(6), "°, swings with", np.round(frequencies, 4), "Hz")

times = np.linspace(0.0, 6.0, 601)
motion = simulate(numbers, start_state(machine), times)
print(f"energy changes by {np.ptp(motion.energy_J):.1e} J in {times[-1]:g} s")
print(f"as C: {len(to_source(equations, 'c').splitlines())} lines")

figure = Figure(figsize=(8, 6), layout="constrained")
words, axes = figure.subplots(2, 1)
words.axis("off")
lines = [line for line in formulae(equations) if line.startswith(("A\\", "q", "A_", "E_"))]
for k, line in enumerate(lines):
    words.text(0.0 if k < 6 else 0.55, 1.0 - 0.17 * (k % 6), f"${line}$", fontsize=9, va="top")
axes.plot(times, np.rad2deg(motion.x[:, :3]), label=["first bar", "second bar", "third bar"])
axes.set(xlabel="time [s]", ylabel="angle [°]")
axes.legend(loc="upper right")
figure.savefig("05_symbolic_pendulum.png")
