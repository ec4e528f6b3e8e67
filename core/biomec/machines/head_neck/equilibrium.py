"""The initial equilibrium: muscle forces, preloads and free lengths of discs with which the pose stands still.

Five steps ([Mouzo2018] §4.2): nothing pulls or presses; what the weight asks of every joint; a quadratic programme

    min Σ (F_i/F0_i − β)²,   0 ≤ F_i/F0_i ≤ 1,   N_k ≥ 0,   A (F, N) = b

with β = 0, or more for a neck that is tensed before the blow. Its equations are the three moments of every joint and
the three forces of joints that have no disc (the source takes two of these; the third, sideways, costs nothing in a
symmetric neck); what is left; discs whose free lengths carry it. The preloads N of the contacts between C2, C1 and C0
are unknowns of the programme: a common preload for both levels leaves it without a solution.

The programme is solved in its dual: u = clip(Aᵀλ + β, 0, 1) minimises ½ |u − β|² where A u = b, and Newton's method
finds λ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.engine.forces.hill_curves import active_length, passive_length, tendon_force
from biomec.engine.forces.hill_muscle import HillParameters
from biomec.engine.forces.polylines import pull_line
from biomec.engine.tree.free_chain import joint_forces
from biomec.engine.tree.vectors import cross
from biomec.machines.head_neck.compiled_model import Layout, laid_out
from biomec.machines.head_neck.model import DISCS, HeadNeck
from biomec.machines.head_neck.steps import CURVES, NeckState, NeckTables, NeckWork, evaluate, neck_work

CHEAP = 30.0  # a preload of this many head weights costs as much as a muscle at its greatest force
EXACT = 1e-10  # residual of the programme's equations, relative to the weight's moments and forces
STEPS, DELTA, ROUNDING = 200, 1e-4, 1e-12  # of Newton's method: greatest count, δ, and rounding of the dual
INFEASIBLE = 2  # status of `scipy.optimize.linprog`
STILL = 1e-6  # generalised force [N, N·m] that may be left: it moves the head by some 0.1 µm in a second
SHORTEST, LONGEST, FINENESS = 0.5, 1.5, 1e-4  # of lopt: fibre lengths that a muscle is fitted to


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A model at rest.

    tables, state : with the free lengths, planes and slack lengths of this equilibrium
    excitation    : (M,) with which every muscle holds its force
    force         : (M,) [N], in the order of the model's muscles
    preload       : contact -> [N]
    rest          : disc -> free lengths (x₀, y₀, z₀) [m]
    shifted       : muscle -> change of its tendon's slack length, so that an activation gives the force [m]
    residual      : greatest generalised force that is left [N, N·m]
    """

    model: HeadNeck
    tables: NeckTables
    state: NeckState
    excitation: FloatArray
    force: FloatArray
    preload: FrozenDict[str, float]
    rest: FrozenDict[str, FloatArray]
    shifted: FrozenDict[str, float]
    residual: float


def find_equilibrium(model: HeadNeck, bracing: float = 0.0) -> Equilibrium:
    """Equilibrium of the initial pose.

    bracing : β, share of its greatest force that every muscle is near; more than 0 is a neck that is tensed
    """
    if not 0.0 <= bracing < 1.0:
        raise BiomecError(
            f"A bracing of {bracing:g} is impossible: it is a share of the muscles' force, from 0 to below 1."
        )
    layout = laid_out(model)
    tables, z, M = layout.tables, layout.z, len(model.muscles)
    preloaded = np.flatnonzero([one.preloaded for one in model.contacts]).astype(np.int64)
    work = neck_work(tables)
    evaluate(tables, _at_rest(layout, M), np.zeros(M), 0.0, work)  # step 1, and the motion for what follows
    columns = np.zeros((M + preloaded.size, z.size))
    weight = np.zeros(z.size)
    _columns(tables, work, preloaded, columns, weight)  # step 2
    with_disc = {int(b) for b in tables.discs.body}
    rows = np.array([
        6 * (b - 1) + j for b in range(1, len(model.names)) for j in range(6) if j >= 3 or b not in with_disc
    ])  # fmt: skip
    scale = np.concatenate([
        tables.muscles.fmax, np.full(preloaded.size, CHEAP * tables.chain.mass[tables.head] * -tables.gravity[2])
    ])  # fmt: skip
    target = np.concatenate([np.full(M, bracing), np.zeros(preloaded.size)])
    highest = np.concatenate([np.ones(M), np.full(preloaded.size, np.inf)])
    u = nearest_between(columns[:, rows].T * scale, -weight[rows], target, highest)  # step 3
    if u is None:
        tensed = f" with a bracing of {bracing:g}" if bracing else ""
        raise BiomecError(
            f"Initial equilibrium{tensed}: no muscle forces and preloads hold the neck. Check the paths of the muscles "
            "and the normals of the contacts between C2, C1 and C0, or brace less."
        )
    x = u * scale
    left = weight + columns.T @ x  # step 4
    preload = np.zeros(len(model.contacts))
    preload[preloaded] = x[M:]
    _carry(model, tables, z, left)  # step 5
    tables.contacts.point[:] += ((preload / tables.contacts.stiffness) ** (1.0 / tables.contacts.exponent))[
        :, None
    ] * tables.contacts.normal
    return _assembled(model, layout, work, x[:M], preload)


def nearest_between(A: FloatArray, b: FloatArray, target: FloatArray, highest: FloatArray) -> FloatArray | None:
    """u (n,) between 0 and bounds with A u = b (m,), nearest to a target; None if there is none.

    Raises BiomecError if no u is found although a linear programme without an aim says that there is one.

    The dual, b·λ − Σ (y u − ½ u²) with y = Aᵀλ + target and u = clip(y), is concave with the gradient b − A u; Newton's
    steps end in finitely many. A step s is halved until the slope at its end, (b − A u)·s, is at least −(1 − 2δ) times
    the first one and the dual did not fall by more than its rounding, the approximate Wolfe condition of
    [HagerZhang2005]: near the optimum the growth of the dual is below its rounding, its slope is not.
    """
    size = np.maximum(np.linalg.norm(A, axis=1), 1e-300)
    A, b = A / size[:, None], b / size
    scale = max(float(np.abs(b).max()), 1e-300)
    lam = np.zeros(b.size)

    def at(trial: FloatArray) -> tuple[float, FloatArray, FloatArray, BoolArray]:
        y = A.T @ trial + target
        u = np.clip(y, 0.0, highest)
        return float(b @ trial - y @ u + 0.5 * u @ u), u, b - A @ u, (y > 0.0) & (y < highest)

    value, u, gradient, inside = at(lam)
    for _ in range(STEPS):
        error = float(np.abs(gradient).max())
        inner = A[:, inside]
        damping = 1e-12 * max(1.0, float(np.trace(inner @ inner.T)))
        step = np.linalg.lstsq(inner @ inner.T + damping * np.eye(b.size), gradient, rcond=None)[0]
        if error <= EXACT * scale:  # a last step takes what it can
            _, last, left, _ = at(lam + step)
            return last if np.abs(left).max() < error else u
        factor, slope = 1.0, float(gradient @ step)
        for _ in range(60):
            new = at(lam + factor * step)
            if new[0] >= value - ROUNDING * abs(value) and new[2] @ step >= -(1.0 - 2.0 * DELTA) * slope:
                break
            factor *= 0.5
        lam = lam + factor * step
        value, u, gradient, inside = new
    from scipy.optimize import linprog  # slow to import

    bounds = np.column_stack([np.zeros(highest.size), highest])
    if not highest.size or linprog(np.zeros(highest.size), A_eq=A, b_eq=b, bounds=bounds).status == INFEASIBLE:
        return None
    raise BiomecError(
        f"Initial equilibrium: the search for the muscle forces did not converge in {STEPS} steps; "
        f"{np.abs(gradient).max() / scale:.1e} of the weight is left, and {EXACT:g} is allowed. This does not mean "
        "that no forces hold the neck. Change the bracing a little, or check tables that you changed."
    )


def _at_rest(layout: Layout, muscles: int) -> NeckState:
    y = np.concatenate([np.zeros(muscles), np.ones(muscles)])
    return NeckState(layout.z.copy(), np.zeros(layout.z.size), y, np.zeros(layout.tables.contacts.radius.size))


@compiled
def _columns(tables: NeckTables, work: NeckWork, preloaded: IntArray, columns: FloatArray, weight: FloatArray) -> None:
    """Generalised forces of a tension of 1 N of every muscle, of 1 N of every preloaded contact, and of the weight."""
    chain, motion = tables.chain, work.motion
    load, arm, normal, turn = np.zeros(work.total.shape), np.empty(3), np.empty(3), np.empty(3)
    M = tables.muscles.fmax.size
    for m in range(M):
        load[:] = 0.0
        pull_line(tables.muscle_lines, m, work.muscle_points, 1.0, load)
        joint_forces(chain, motion, load, columns[m])
    for k in range(preloaded.size):
        n = preloaded[k]
        load[:] = 0.0
        sphere, plane = tables.contacts.sphere[n], tables.contacts.plane[n]
        for side in range(2):
            b = sphere if side == 0 else plane
            for i in range(3):
                normal[i], arm[i] = 0.0, motion.p[sphere, i] - motion.p[b, i]
                for j in range(3):
                    normal[i] += motion.R[plane, i, j] * tables.contacts.normal[n, j]
                    arm[i] += motion.R[sphere, i, j] * tables.contacts.centre[n, j]
            cross(arm, normal, turn)
            sign = 1.0 if side == 0 else -1.0
            for i in range(3):
                load[b, i] += sign * normal[i]
                load[b, 3 + i] += sign * turn[i]
        joint_forces(chain, motion, load, columns[M + k])
    load[:] = 0.0
    for b in range(1, chain.mass.size):
        for i in range(3):
            arm[i] = 0.0
            for j in range(3):
                arm[i] += motion.R[b, i, j] * chain.com[b, j]
            load[b, i] = chain.mass[b] * tables.gravity[i]
        cross(arm, load[b, :3], turn)
        for i in range(3):
            load[b, 3 + i] = turn[i]
    joint_forces(chain, motion, load, weight)


def _carry(model: HeadNeck, tables: NeckTables, z: FloatArray, left: FloatArray) -> None:
    """Free lengths of the discs with which they carry the forces (48,) that are left."""
    discs = tables.discs
    for d, b in enumerate(discs.body):
        for j in range(3):
            force = left[6 * (b - 1) + j]
            stiffness = discs.stiffness[d, int(force > 0.0), j]
            if stiffness > 0.0:
                discs.rest[d, j] = z[6 * (b - 1) + j] - force / stiffness
            elif not abs(force) < STILL:
                raise BiomecError(
                    f"Initial equilibrium: the disc {model.discs[d].name} must carry {abs(force):.3g} N along "
                    f"{'xyz'[j]}, and has no stiffness there. Give it one above 0 in {DISCS}."
                )


def _assembled(model: HeadNeck, layout: Layout, work: NeckWork, force: FloatArray, preload: FloatArray) -> Equilibrium:
    tables = layout.tables
    lengths = work.muscle[0].copy()
    fibre, activation, shift = held_fibres(tables.muscles, lengths, force)
    tables = tables._replace(muscles=tables.muscles._replace(lts=tables.muscles.lts + shift))
    state = _at_rest(layout, force.size)._replace(y=np.concatenate([activation, fibre]))
    evaluate(tables, state, activation, 0.0, work)
    Q = np.empty(layout.z.size)
    joint_forces(tables.chain, work.motion, work.total, Q)
    worst = int(np.argmax(np.abs(Q)))
    if not abs(Q[worst]) < STILL:
        bone, turns = model.bones[worst // 6], worst % 6 >= 3
        raise BiomecError(
            f"Initial equilibrium: {bone.name} does not stand still on {bone.parent}; {abs(Q[worst]):.3g} "
            f"{'N·m' if turns else 'N'} {'about' if turns else 'along'} {'xyz'[worst % 3]} are left. Check the "
            "contacts between bones, which press already where their gap is below 0, and the discs."
        )
    return Equilibrium(
        model,
        tables,
        state,
        read_only(activation),
        read_only(force),
        FrozenDict({one.name: float(N) for one, N in zip(model.contacts, preload, strict=True) if one.preloaded}),
        FrozenDict({one.name: read_only(tables.discs.rest[d, :3]) for d, one in enumerate(model.discs)}),
        FrozenDict({one.name: float(by) for one, by in zip(model.muscles, shift, strict=True) if by != 0.0}),
        float(abs(Q[worst])),
    )


def held_fibres(
    muscles: HillParameters, length: FloatArray, force: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Fibre lengths over the optimal ones, activations, and changes of slack lengths [m], each (M,), of muscles that
    hold forces (M,) [N] at path lengths (M,) [m] while nothing moves.

    The force stretches the tendon, which leaves a length for the fibre, which needs an activation. Where it is not
    between 0 and 1, the fibre gets the nearest length at which it is, and the tendon the rest.
    """
    fibre, activation, shift = np.empty((3, force.size))
    trial = np.arange(SHORTEST, LONGEST, FINENESS)
    for m in range(force.size):
        pull = force[m] / muscles.fmax[m]
        stretch = _stretch(pull)
        width = np.sin(muscles.pennation[m])

        def needed(l: float, width: float = float(width), pull: float = pull) -> float:
            cosine = np.sqrt(1.0 - (width / l) ** 2)
            return float((pull / cosine - passive_length(CURVES, l)[0]) / active_length(CURVES, l)[0])

        along = (length[m] - muscles.lts[m] * stretch) / muscles.lopt[m]
        own = float(np.hypot(width, along)) if along > 0.0 else 0.0
        if SHORTEST <= own <= LONGEST and 0.0 <= needed(own) <= 1.0:
            fibre[m], activation[m], shift[m] = own, needed(own), 0.0
            continue
        nearest = next(one for one in trial[np.argsort(np.abs(trial - own))] if 0.0 <= needed(one) <= 1.0)
        fibre[m], activation[m] = nearest, needed(nearest)
        rest = (length[m] - muscles.lopt[m] * np.sqrt(nearest**2 - width**2)) / stretch
        if not rest > 0.0:
            raise BiomecError(f"Initial equilibrium: the path of muscle number {m + 1} is shorter than its fibres.")
        shift[m] = rest - muscles.lts[m]
    return fibre, activation, shift


def _stretch(pull: float) -> float:
    """Tendon length over its slack length at a force over the greatest one, by bisection; 1 without force."""
    if pull <= 0.0:
        return 1.0
    low, high = 1.0, 1.1
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if tendon_force(CURVES, middle)[0] < pull else (low, middle)
    return 0.5 * (low + high)
