"""What can be asked of a machine, and what every answer looks like: a terminal, a window and a script use the same.

A study is registered once, in `biomec.machines.studies`; its options are a frozen dataclass whose fields carry a
default and, through `option`, a unit, an explanation and choices, from which forms and command lines are made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.field_texts import typed
from biomec.base.fields import entries, setting
from biomec.base.progress import Progress
from biomec.base.toml_table import did_you_mean
from biomec.machines.machine import Machine
from biomec.machines.time_limit import TimeUp, interruptible, limited

TIME_LIMIT_S = 300.0


@dataclass(frozen=True, eq=False)
class StudyCurve:
    """A quantity over time.

    group  : figure that it belongs to, such as ``Motor torques``
    name   : such as ``A``;  unit : such as ``N·m`` (angles are in ``deg``, as people read them)
    values : (T,)
    """

    group: str
    name: str
    unit: str
    values: FloatArray


@dataclass(frozen=True, eq=False)
class Run:
    """Answer of a study.

    study   : its key;  title : what a list calls the run
    machine : with the values of its parameters;  options : of the study
    time_s  : (T,)
    poses   : body name -> (T, 3) position of its origin [m] and angle [rad, counter-clockwise], or in space (T, 3, 4)
              attitude and position; empty if nothing moves
    curves  : what can be plotted
    figures : headline figures, each key ending in its unit, such as ``torque_max_Nm``
    status  : ``completed``, or in a few words how else it ended;  succeeded : whether the answer can be used
    notices : sentences for the user
    text    : anything to be read besides, such as a table or equations
    formulae : equations to be typeset, a line of LaTeX each (as mathtext of matplotlib draws; a bmatrix at the end)
    files   : name -> content of text files that go with the answer, such as ``equations.c``; written where curves are
    over    : ``group: name`` of the curve over which the others are plotted at first; empty for time
    """

    study: str
    title: str
    machine: Machine
    options: Any
    time_s: FloatArray
    curves: tuple[StudyCurve, ...]
    figures: Mapping[str, float]
    poses: Mapping[str, FloatArray] = field(default_factory=dict)
    status: str = "completed"
    succeeded: bool = True
    notices: tuple[str, ...] = ()
    text: str = ""
    formulae: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    over: str = ""


@dataclass(frozen=True)
class Study:
    """A question that can be asked of a machine.

    key     : on the command line;  title, about : for people
    options : frozen dataclass with defaults
    refusal : why it cannot be asked of a machine, as a sentence, or None
    run     : answers it; ``progress`` is called with the fraction done and raises `Cancelled` to stop. What takes more
              time than the options allow ends with a status that says so
    asks    : whether its work calls ``progress`` often enough to be stopped by it; otherwise it is interrupted
    """

    key: str
    title: str
    about: str
    options: type[Any]
    refusal: Callable[[Machine], str | None]
    run: Callable[[Machine, Any, Progress | None], Run]
    asks: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "run", partial(_within_limit, self, self.run))


def _within_limit(
    study: Study,
    work: Callable[[Machine, Any, Progress | None], Run],
    machine: Machine,
    options: Any,
    progress: Progress | None = None,
) -> Run:
    """Answer of a study within the time that its options allow."""
    seconds = float(options.time_limit_s)
    told = 0.0

    def tell(fraction: float) -> None:
        nonlocal told
        told = fraction
        if progress is not None:
            progress(fraction)

    watched = limited(tell, seconds)
    try:
        if study.asks:
            run = work(machine, options, watched)
        else:
            with interruptible(watched) as asked:
                run = work(machine, options, asked)
    except TimeUp:
        status = (
            f"stopped at the limit of time, {seconds:g} s. Allow more (time_limit_s), or ask for less: "
            "a shorter duration, longer steps or fewer of them"
        )
        return Run(study.key, study.title, machine, options, np.zeros(0), (), {}, status=status, succeeded=False)
    if told < 1.0:
        tell(1.0)
    return replace(run, notices=(*machine.start.hints, *run.notices)) if machine.start.hints else run


def option(default: Any, about: str, unit: str = "", choices: Sequence[Any] = ()) -> Any:
    """Field of the options of a study: its default, what it means, its unit, and what can be chosen."""
    return setting(default, help=about, unit=unit, choices={one: str(one) for one in choices} or None)


def time_limit() -> Any:
    """Field of the options of every study: how long it may take."""
    return option(TIME_LIMIT_S, "Longest time of the computation; 0 is no limit", "s")


def options_from(study: Study, given: Mapping[str, Any]) -> Any:
    """Options of a study from names and values, texts included; refuses what does not fit with a sentence."""
    known = {entry.name: entry for entry in entries(study.options())}
    made: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            guess = did_you_mean(name, list(known))
            there = ", ".join(known) or "none"
            raise BiomecError(f"{study.title}: there is no option {name}{guess} The options are {there}.")
        made[name] = typed(known[name], str(value), f"{study.title}: {name}")
    return study.options(**made)


def curve(group: str, name: str, unit: str, values: ArrayLike) -> StudyCurve:
    """A curve with read-only values (T,)."""
    return StudyCurve(group, name, unit, read_only(np.asarray(values, dtype=np.float64)))
