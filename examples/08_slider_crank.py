"""A slider-crank from its file to optimal control, forward replay and joint forces.

The motor of the machine crank-press turns the crank by half a turn, from rest to rest, at the least cost. Its torques
are given to the motor again: forward dynamics, by other equations and another integrator, shows where they lead, and
what the joints bear. Writes 08_slider_crank.png into the current folder: torque, crank angle and joint forces, planned
and replayed.
"""

import numpy as np
from matplotlib.figure import Figure

from biomec.machines.machine import load_machine
from biomec.machines.output import torque_columns
from biomec.machines.studies import study
from biomec.machines.study import options_from


def answer(machine, key, **options):
    """Run of an analysis."""
    asked = study(key)
    return asked.run(machine, options_from(asked, options), None)


def curve(run, group, name):
    """Values (T,) of a curve of a run."""
    return next(one.values for one in run.curves if (one.group, one.name) == (group, name))


machine = load_machine("crank-press")  # or load_machine(Path("mine.toml"))
plan = answer(machine, "optimal-control", end="angle_crank = 200 deg; rate_crank = 0", intervals=40)
print(f"plan: {plan.status}, cost {plan.figures['cost']:.4f} N² m² s, torque up to "
      f"{max(plan.figures['torque_max_Nm'], -plan.figures['torque_min_Nm']):.2f} N·m")  # fmt: skip

given = machine.with_torques(torque_columns(plan))
replay = answer(given, "forward", tolerance=1e-7, samples=121)
end = curve(replay, "Angles", "crank")[-1], curve(replay, "Angular velocities", "crank")[-1]
print(f"replay: {replay.status}, the crank ends at {end[0]:.2f}° with {end[1]:.1f} °/s")

for name in ("O", "A", "B", "guide"):
    there = np.interp(replay.time_s, plan.time_s, curve(plan, "Joint forces", name))
    here = curve(replay, "Joint forces", name)
    print(f"force at {name}: up to {here.max():.2f} N, {np.abs(here - there).max():.2f} N from the plan")

figure = Figure(figsize=(8, 6), layout="constrained")
torque, angle, force = figure.subplots(3, 1, sharex=True)
torque.plot(plan.time_s, curve(plan, "Motor torques", "O"))
torque.set(ylabel="torque [N·m]")
for run, style, words in ((plan, "-", "planned"), (replay, "--", "replayed")):
    angle.plot(run.time_s, curve(run, "Angles", "crank"), style, label=words)
for name in ("O", "A", "B", "guide"):
    (line,) = force.plot(plan.time_s, curve(plan, "Joint forces", name), label=name)
    force.plot(replay.time_s, curve(replay, "Joint forces", name), "--", color=line.get_color())
angle.set(ylabel="crank [°]")
force.set(ylabel="joint force [N]", xlabel="time [s]")
angle.legend()
force.legend(ncols=4)
figure.savefig("08_slider_crank.png")
