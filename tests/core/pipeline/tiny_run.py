"""A simulation of three frames made by hand: what is stored of one, without computing it."""

from dataclasses import replace

import numpy as np

from biomec.engine.forward.simulation import Ending
from biomec.pipeline.simulation_run import BY_FRAME, BY_STEP, LEVELS, RunSpread, SimulationRun
from biomec.pipeline.simulation_settings import SimulationSettings

FRAMES = 3


def tiny_run(title: str, when: str = "2026-03-01T12:00:00Z") -> SimulationRun:
    """A run under a name, made at a time."""
    arrays = {name: np.zeros(FRAMES) for name in BY_STEP}
    arrays |= {name: np.zeros((FRAMES, 3)) for name in BY_FRAME}
    return SimulationRun(
        settings=replace(SimulationSettings(), name=title),
        integration="by hand",
        first=0,
        last=FRAMES - 1,
        rate_hz=100.0,
        spread={level: RunSpread(0.0, 0.0) for level in LEVELS},
        angle_names=("a", "b", "c"),
        torque_names=("a", "b", "c"),
        contacts=(),
        stop_names=(),
        muscle_names=("a", "b", "c"),
        reserve_names=("a", "b", "c"),
        ending=Ending.COMPLETED,
        sentence="Completed.",
        source="",
        when=when,
        biomec="0.1",
        **arrays,
    )
