"""A small study for tests of what shows and writes studies: the first body turns, and its angle is told."""

import time
from dataclasses import dataclass

import numpy as np

from biomec.base.progress import Progress
from biomec.machines.machine import Machine
from biomec.machines.study import Run, Study, curve, option, time_limit


@dataclass(frozen=True)
class SwingOptions:
    """Options of every type."""

    frames: int = option(21, "moments that are computed")
    turn: float = option(90.0, "how far it turns", "deg")
    smooth: bool = option(True, "begin and end at rest")
    method: str = option("exact", "how it is computed", choices=("exact", "failing", "slow"))
    time_limit_s: float = time_limit()


def refusal(machine: Machine) -> str | None:
    """Spatial machines are refused."""
    return None if machine.is_planar else "It is made for machines in one plane."


def run(machine: Machine, options: SwingOptions, progress: Progress | None) -> Run:
    """Turn the first body, scaled by the first parameter, so that changes are seen."""
    waits = 6000 if options.method == "slow" else 1
    for k in range(waits):  # ends early only by being cancelled
        if progress is not None:
            progress(k / waits)
        if waits > 1:
            time.sleep(0.02)
    body = machine.system.bodies[0]
    time_s = np.linspace(0.0, 1.0, options.frames)
    scale = next(iter(machine.values.values()), 1.0)
    angle = np.radians(options.turn) * time_s
    place = np.tile(np.asarray(body.position, dtype=float), (options.frames, 1))
    failed = options.method == "failing"
    return Run(
        "swing-test", f"Swing by {options.turn:g}°", machine, options, time_s,
        (curve("Angles", body.name, "deg", np.degrees(angle)), curve("Torques", "A", "N·m", scale * np.cos(angle)),
         curve("Torques", "B", "N·m", np.where(time_s < 0.5, np.nan, scale))),
        {"torque_max_Nm": scale, "torque_nothing_Nm": float("nan")},
        {body.name: np.column_stack([place, angle])},
        status="ran away after 0.3 s" if failed else "completed",
        succeeded=not failed,
        notices=("The torque is one-sided.",),
        text="A table\nof two lines",
        formulae=(r"m \ddot{x} + k x = 0", r"\tau = I \ddot{\varphi}"),
        files={"equations.c": "double f(double x) { return x; }\n"},
    )  # fmt: skip


STUDY = Study("swing-test", "Swing", "The first body turns.", SwingOptions, refusal, run)
