"""Symbolic equations of a chain of 1 to 6 bars: deriving them, and evaluating them, beside plain sympy and our engine.

``python -m benchmarks.symbolic``. All get the same chain with a motor at every pin.

derive    ours from the machine file (products of turning vectors); ours from energies; plain sympy: Lagrange's
          equations differentiated, the mass matrix and its right side collected, nothing shortened
evaluate  accelerations of one state from Python: ours (common parts once, the mass matrix solved with numbers), ours in
          machine code, ours for 1000 states at once; plain sympy `lambdify` without common parts, with the inverse mass
          matrix written out (up to 3 bars, more would take minutes) and solved with numbers; natural coordinates
          (classic Lagrange), which have 4 coordinates a bar and find the reactions, too
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import sympy as sp

from benchmarks.timing import Task, exponent, interleaved
from biomec.base.arrays import FloatArray
from biomec.engine.forward.lagrangian import ClassicLagrange
from biomec.machines.machine import Machine, parse_machine
from biomec.machines.natural import machine_forces, natural_state
from biomec.machines.symbolic.algebra import coordinates
from biomec.machines.symbolic.compiled import compiled, fast_rates
from biomec.machines.symbolic.lagrange import lagrange_equations, planar_chain
from biomec.machines.symbolic.machine_equations import machine_equations
from biomec.machines.symbolic.placing import poses_of

BARS = (1, 2, 3, 4, 5, 6)
MOST_INVERTED = 3  # bars whose inverse mass matrix sympy writes out in a bearable time
PASSES, CALLS, STATES = 7, 200, 1000
OURS, FAST, MANY = "ours", "ours, machine code", "ours, 1000 states at once"
INVERSE, PLAIN, NATURAL = "plain sympy, inverse", "plain sympy, solved", "natural coordinates"
NONE = float("nan")


@dataclass(frozen=True)
class Chain:
    """What one number of bars took: seconds to derive, and to evaluate once, by name; largest difference of q̈."""

    derive: dict[str, float]
    evaluate: dict[str, float]
    difference: float


def chain_machine(count: int, name: str = "chain") -> Machine:
    """Machine of a chain of unit bars, its numbers as parameters."""
    lines = [f'name = "{name} of {count}"', "dimension = 2", 'gravity = [0.0, "=-g"]', "[parameters]", "g = 9.81"]
    lines += [f"m{k} = 1.0\nL{k} = 1.0" for k in range(1, count + 1)]
    for k in range(1, count + 1):
        lines += [
            "[[body]]",
            f'name = "bar{k}"',
            f'points = {{ A = [0.0, 0.0], B = ["=L{k}", 0.0] }}',
            'basis = ["A", "B"]',
        ]
        lines += [f'mass = "=m{k}"', f'centre_of_mass = ["=L{k}/2", 0.0]', f'inertia = "=m{k}*L{k}**2/12"']
        lines += [f"position = [{k - 1}.0, 0.0]"]
    for k in range(1, count + 1):
        near = "ground.origin" if k == 1 else f"bar{k - 1}.B"
        lines += ["[[joint]]", 'type = "revolute"', f'name = "J{k}"', f'proximal = "{near}"', f'distal = "bar{k}.A"']
        lines += ["[[motor]]", f'name = "J{k}"', f'proximal = "{near.partition(".")[0]}"', f'distal = "bar{k}"']
    return parse_machine("\n".join(lines), f"chain-{count}.toml")


def plain_sympy(count: int, *, inverse: bool) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Accelerations as an innocent user of sympy would write them, unit bars put in, no common parts."""
    coords = coordinates([f"phi{k}" for k in range(count)])
    inputs = sp.symbols(f"u:{count}", real=True)
    x = y = kinetic = potential = sp.S.Zero
    for angle, rate in zip(coords.q, coords.qdot, strict=True):
        centre = x + sp.cos(angle) / 2, y + sp.sin(angle) / 2
        kinetic += sum(coords.derivative(one) ** 2 for one in centre) / 2 + rate**2 / 24
        potential += sp.Float(9.81) * centre[1]
        x, y = x + sp.cos(angle), y + sp.sin(angle)
    equations = sp.Matrix(lagrange_equations(kinetic, potential, coords))
    M = equations.jacobian(list(coords.qddot))
    pushed = sp.Matrix([inputs[k] - (inputs[k + 1] if k + 1 < count else 0) for k in range(count)])
    right = pushed - equations.subs(dict.fromkeys(coords.qddot, 0))
    symbols = [*coords.x, *inputs]
    if inverse:
        formula = sp.lambdify(symbols, M.inv(method="ADJ") * right, "numpy")
        return lambda state, u: formula(*state, *u)[:, 0]
    mass, force = sp.lambdify(symbols, M, "numpy"), sp.lambdify(symbols, right, "numpy")
    return lambda state, u: np.linalg.solve(mass(*state, *u), force(*state, *u))[:, 0]


def seconds(work: Callable[[], object]) -> tuple[float, object]:
    """Processor seconds of something that is done once, and what it gave."""
    begin = time.process_time()
    made = work()
    return time.process_time() - begin, made


def measured(count: int, name: str = "chain") -> Chain:
    """Everything about a chain of so many bars; another name is derived anew."""
    machine = chain_machine(count, name)
    derive: dict[str, float] = {}
    derive["ours, machine"], equations = seconds(lambda: machine_equations(machine))
    derive["ours, energies"], _ = seconds(lambda: planar_chain.__wrapped__(count))
    derive[PLAIN], plain = seconds(lambda: plain_sympy(count, inverse=False))
    derive[INVERSE], inverted = NONE, None
    if count <= MOST_INVERTED:
        derive[INVERSE], inverted = seconds(lambda: plain_sympy(count, inverse=True))
    numbers, fast = compiled(equations), fast_rates(equations)
    rng = np.random.default_rng(count)
    x, u = rng.normal(size=2 * count), rng.normal(size=count)
    many, pushes = rng.normal(size=(STATES, 2 * count)), rng.normal(size=(STATES, count))
    system, engine = machine.free_system, ClassicLagrange(machine.free_system)
    pose, rate, _ = poses_of(machine).at(x[None])
    q, qdot = (one[0] for one in natural_state(system, pose, rate))
    Q = machine_forces(machine, system, lambda t: u)(0.0, q, qdot)

    def repeated(call: Callable[..., object], *arguments: object) -> Callable[[], None]:
        def run() -> None:
            for _ in range(CALLS):
                call(*arguments)

        return run

    tasks = [
        Task(OURS, repeated(numbers.accelerations, x, u), CALLS),
        Task(FAST, repeated(fast, x, u), CALLS),
        Task(MANY, lambda: numbers.accelerations(many, pushes), STATES),
        Task(PLAIN, repeated(plain, x, u), CALLS),
        Task(NATURAL, repeated(engine.accelerations, q, qdot, Q), CALLS),
    ]
    if inverted is not None:
        tasks.append(Task(INVERSE, repeated(inverted, x, u), CALLS))
    timings = interleaved(tasks, PASSES)
    qddot = numbers.accelerations(x, u)[0]
    others = [plain(x, u), fast(x, u)[count:]]
    difference = max(float(np.abs(other - qddot).max()) for other in others)
    turning = [system.layout.vector(f"bar{k + 1}.x") for k in range(count)]
    found = engine.accelerations(q, qdot, Q).qddot
    about = [float(np.cross([*one(q), 0.0], [*one.rate(found), 0.0])[2]) for one in turning]
    difference = max(difference, float(np.abs(np.array(about) - qddot).max()))
    return Chain(derive, {INVERSE: NONE} | {name: one.best_cpu for name, one in timings.items()}, difference)


def print_symbolic() -> None:
    """Print seconds, ratios and growth."""
    measured(1, "warming up")  # loads and compiles what all sizes share
    chains = {count: measured(count) for count in BARS}
    print("\nSymbolic equations of a chain of bars")
    _print_table("derive, processor ms once", {n: one.derive for n, one in chains.items()}, 1e3, "ours, machine")
    _print_table("evaluate, processor µs", {n: one.evaluate for n, one in chains.items()}, 1e6, OURS)
    print(f"Accelerations agree to {max(one.difference for one in chains.values()):.1e} rad/s².")


def _print_table(title: str, costs: dict[int, dict[str, float]], scale: float, ours: str) -> None:
    """Costs by bars, their growth from 2 bars on as bars^p, and the ratio to ours."""
    print(
        f"{title:28}"
        + "".join(f"{n:>10}" for n in costs)
        + f"{'growth':>10}   ratio to ours, {', '.join(map(str, costs))} bars"
    )
    for name in costs[BARS[0]]:
        row = [one[name] for one in costs.values()]
        sizes = [n for n in costs if n > 1 and np.isfinite(costs[n][name])]
        p = exponent(sizes, [costs[n][name] for n in sizes])
        ratios = "  ".join(_shown(one[name] / one[ours]) for one in costs.values())
        print(f"  {name:26}" + "".join(f"{_shown(scale * one):>10}" for one in row) + f"{f'n^{p:.1f}':>10}   {ratios}")


def _shown(value: float) -> str:
    return f"{value:.3g}" if np.isfinite(value) else "–"


if __name__ == "__main__":
    print_symbolic()
