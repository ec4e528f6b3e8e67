"""A machine's task in words: which motors act, what it costs, which path must be kept, where it ends.

Costs, paths, bounds and ends are texts in the names of a machine: ``torque_A**2 + 0.1*power_A**2``. Besides the
machine's parameters the names are ``time`` and, for everything in the machine by its name (letters that are no letters
or digits become _):

    angle_BODY, rate_BODY, x_BODY, y_BODY      absolute angle [rad], its rate, and place of the body's origin [m]
    torque_MOTOR, power_MOTOR                  [N·m], [W]
    gap_x_TIE, gap_y_TIE, gap_rate_x_TIE, gap_rate_y_TIE, force_x_TIE, force_y_TIE
    spring_force_x_TIE, damper_force_x_TIE, …  the parts of that force
    length_SPRING, length_rate_SPRING, force_SPRING, spring_force_SPRING, damper_force_SPRING
    way_JOINT, speed_JOINT                     of a slider on its guide
    gap_STOP                                   between circle and face of a stop
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError, DescriptionError
from biomec.machines.expressions import NUMERIC, value_of
from biomec.machines.machine import Machine
from biomec.machines.motors import Motor
from biomec.machines.optimal_control.planar_model import PlanarModel, planar_model
from biomec.machines.optimal_control.problem import Dynamics, Problem, machine_dynamics

SEPARATOR = ";"


def functions() -> Mapping[str, Any]:
    """What ``sin``, ``sqrt``, ``pi`` … mean in a formula that CasADi computes."""
    import casadi as ca

    return {name: getattr(ca, name, value) for name, value in NUMERIC.items()}


_DEGREES = re.compile(r"(?<![\w.])((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(?:deg|°)(?![\w])")
LARGE = 4.0 * np.pi  # [rad] two turns: more is likelier to be meant in degrees


def in_radians(text: str) -> str:
    """A formula whose numbers with a unit of degrees, such as ``180 deg`` or ``90°``, are in radians."""
    return _DEGREES.sub(r"(\1*pi/180)", text)


def formula(text: str, dynamics: Dynamics, what: str) -> Any:
    """Expression of a text; ``what`` it is for, in messages."""
    import casadi as ca

    try:
        return ca.SX(value_of(in_radians(text), dynamics.names, functions()))
    except DescriptionError as error:
        raise BiomecError(f"Optimal control: the {what}: {error}") from error


def formulas(text: str, dynamics: Dynamics, what: str) -> Any:
    """Expressions (n,) of a text with a semicolon between them; None if it is empty."""
    import casadi as ca

    parts = [one.strip() for one in text.split(SEPARATOR) if one.strip()]
    return ca.vertcat(*(formula(one, dynamics, what) for one in parts)) if parts else None


def squared_torques(dynamics: Dynamics, weights: str) -> Any:
    """Σ w u² over the controls; weights as a text with commas, all 1 if it is empty."""
    import casadi as ca

    given = numbers(weights, "weights") if weights.strip() else np.ones(dynamics.u.numel())
    if len(given) != dynamics.u.numel() or not np.isfinite(given).all() or (given < 0.0).any():
        raise BiomecError(
            f"Optimal control: {dynamics.u.numel()} weights are needed, zero or positive, one for each motor that acts."
        )
    return ca.dot(ca.DM(given), dynamics.u**2)


def assignments(text: str, what: str) -> dict[str, str]:
    """Name -> text of ``a = 1; b = 2*pi``."""
    found: dict[str, str] = {}
    for part in (one.strip() for one in text.split(SEPARATOR)):
        name, sign, value = part.partition("=")
        if part and not (sign and name.strip() and value.strip()):
            raise BiomecError(f'Optimal control: the {what}: "{part}" is not understood. Write name = value.')
        if part:
            found[name.strip()] = value.strip()
    return found


def end_state(text: str, dynamics: Dynamics) -> FloatArray:
    """State at the end (nx,) of ``angle_rod = pi; rate_rod = 0``, NaN where it is free."""
    end = np.full(dynamics.x.numel(), np.nan)
    for name, value in assignments(text, "end").items():
        end[_index(name, dynamics, dynamics.x, "end")] = _number(value, dynamics, "end")
    return end


def bounds(
    text: str, dynamics: Dynamics, motors: Sequence[Motor] = ()
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Bounds low, high of states (nx,) and least, most of controls (nu,) of ``torque_A = -5, 5; way_rail = -1, 1``.

    motors : of the controls; wider bounds than what they can give are narrowed to that
    """
    import casadi as ca

    nx, nu = dynamics.x.numel(), dynamics.u.numel()
    low, high = np.full(nx + nu, -np.inf), np.full(nx + nu, np.inf)
    both = ca.vertcat(dynamics.x, dynamics.u)
    for name, value in assignments(text, "bounds").items():
        ends = [_number(one, dynamics, "bounds") for one in value.split(",")]
        if len(ends) != 2 or not ends[0] <= ends[1]:
            raise BiomecError(f"Optimal control: the bounds: {name} needs two numbers, the lower one first.")
        k = _index(name, dynamics, both, "bounds")
        low[k], high[k] = ends
    for k, motor in enumerate(motors, nx):
        if low[k] > motor.most or high[k] < motor.least:
            raise BiomecError(
                f"Optimal control: the bounds of the motor {motor.name} lie beyond the {motor.least:g} to "
                f"{motor.most:g} N·m that it can give."
            )
        low[k], high[k] = max(low[k], motor.least), min(high[k], motor.most)
    return low[:nx], high[:nx], low[nx:], high[nx:]


def numbers(text: str, what: str) -> FloatArray:
    """Numbers of a text with commas or blanks between them."""
    try:
        return np.array([float(one) for one in text.replace(",", " ").split()])
    except ValueError:
        raise BiomecError(f'Optimal control: the {what}: "{text}" are not numbers. Write 1, 2, 3.') from None


def _number(text: str, dynamics: Dynamics, what: str) -> float:
    plain = {name: value for name, value in dynamics.names.items() if isinstance(value, int | float)}
    try:
        return float(value_of(in_radians(text), plain))
    except DescriptionError as error:
        raise BiomecError(f"Optimal control: the {what}: {error}") from error


def _index(name: str, dynamics: Dynamics, symbols: Any, what: str) -> int:
    """Place of the state or control that a name stands for."""
    import casadi as ca

    expression = formula(name, dynamics, what)
    for k in range(symbols.numel()):
        if ca.is_equal(expression, symbols[k], 2):
            return k
    raise BiomecError(f"Optimal control: the {what}: {name} is not a coordinate, rate or torque of its own.")


def looks_like_degrees(task: Task) -> tuple[str, ...]:
    """A hint for every angle of the end or the bounds that is so large that degrees may be meant."""
    found = []
    for what, text in (("end", task.end), ("bounds", task.bounds)):
        for name, value in assignments(text, what).items():
            for one in value.split(","):
                number = _plain(one)
                if name.startswith("angle_") and number is not None and abs(number) > LARGE:
                    found.append(
                        f"{name} = {one.strip()} is in radians, which is {np.rad2deg(number):.0f}°. "
                        f"If degrees are meant, write {one.strip()} deg."
                    )
    return tuple(found)


def _plain(text: str) -> float | None:
    """A number, or None for a formula."""
    try:
        return float(text)
    except ValueError:
        return None


@dataclass(frozen=True)
class Task:
    """What a machine is to do; texts are formulas in its names.

    motors     : names of those that act; empty: all
    cost       : integrand; empty: Σ w u² with ``weights``
    path       : residuals, with semicolons;  limit : Σ f² stays at or below it, 0 makes them vanish
    end        : such as ``angle_rod = pi; rate_rod = 0``;  bounds : such as ``torque_A = -5, 5``
    duration_s : 0 takes the machine's
    """

    motors: tuple[str, ...] = ()
    cost: str = ""
    weights: str = ""
    path: str = ""
    limit: float = 0.0
    end: str = ""
    bounds: str = ""
    duration_s: float = 0.0


def machine_problem(machine: Machine, task: Task) -> tuple[Problem, PlanarModel]:
    """Problem of a task, and the model it is made of."""
    import casadi as ca

    model = planar_model(machine, task.motors or None)
    if not model.motors:
        raise BiomecError(f"{machine.title} has no motor that acts, so nothing can be controlled.")
    dynamics = machine_dynamics(model)
    cost = formula(task.cost, dynamics, "cost") if task.cost.strip() else squared_torques(dynamics, task.weights)
    acting = [one for one in machine.motors if one.name in model.motors]
    low, high, least, most = bounds(task.bounds, dynamics, acting)
    made = Problem(
        dynamics=dynamics,
        duration_s=task.duration_s or machine.duration_s,
        cost=cost,
        start=np.concatenate(model.start),
        path=formulas(task.path, dynamics, "path"),
        limit=task.limit,
        end=end_state(task.end, dynamics),
        low=low,
        high=high,
        least=least,
        most=most,
        size_u=torque_sizes(machine, model, least, most),
        clear=ca.vertcat(*model.gaps.values()) if model.gaps else None,
    )
    return made, model


def torque_sizes(machine: Machine, model: PlanarModel, least: FloatArray, most: FloatArray) -> FloatArray:
    """Ordinary sizes of the torques: their bounds, or what it takes to hold and to turn the machine."""
    import casadi as ca

    q, v = model.start
    mass, force = ca.Function("f", [model.q, model.v, model.u], [model.mass, model.force])(
        q, v, np.zeros(len(model.motors))
    )
    turning = np.abs(np.asarray(mass)).max() * (2.0 * np.pi / machine.duration_s) ** 2 / 2.0
    ordinary = float(max(np.abs(np.asarray(force)).max(), turning, 1e-6))
    limits = np.maximum(np.abs(np.asarray(least)), np.abs(np.asarray(most)))
    return np.where(np.isfinite(limits) & (limits > 0.0), limits, ordinary)
