"""Integrators: the one table of them. Window, command line, settings and studies of machines all read it.

To add one, write its class or function and its entry here; nothing else has to know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.engine.forward import joint_steps
from biomec.engine.forward.equal_steps import STARTS, Adams, EqualStepOptions, Gear, GeneralisedAlpha, Trapezoidal
from biomec.engine.forward.formulation import Integrator, State, StepResult
from biomec.engine.forward.joint_steps import JointMotion


class Steps(Enum):
    """How an integrator steps."""

    EQUAL = "equal steps in all coordinates"
    ADAPTED = "steps of a one-step formula, doubled and halved by their error"
    SCIPY = "steps of one of scipy's integrators, as long as their error allows"
    JOINT = "equal steps from joint to joint, which stay on the constraints"


@dataclass(frozen=True)
class IntegratorKind:
    """One integrator.

    key    : in files, settings and on the command line
    name   : in a table or sentence;  title, help : in a list, and what it is good for
    order  : of its error; the highest one where it can be chosen
    uses   : options that have a meaning for it: "order", "rho", "tolerance", "max_iterations", "error"
    make   : of equal steps, the integrator
    scipy  : what scipy calls it
    joint_step : takes a step from joint to joint
    """

    key: str
    name: str
    title: str
    help: str
    steps: Steps
    order: int
    uses: frozenset[str] = frozenset()
    make: Callable[[IntegratorOptions], Integrator] | None = None
    scipy: str = ""
    joint_step: Callable[[JointMotion, State, float], StepResult] | None = None

    @property
    def method(self) -> str:
        """Name without a word about its steps, as machines' studies have it."""
        return self.name.partition(",")[0]

    @property
    def variable(self) -> bool:
        """Whether steps have a length by error control."""
        return self.steps in (Steps.ADAPTED, Steps.SCIPY)


@dataclass(frozen=True)
class IntegratorOptions(EqualStepOptions):
    """Options of an integrator of equal steps, checked against the table: ``family`` is a key of `EQUAL_STEPS`."""

    def __post_init__(self) -> None:
        if self.family not in EQUAL_STEPS or self.start not in STARTS:
            raise BiomecError(
                f"Integrator: the family is {', '.join(EQUAL_STEPS)} and the start {' or '.join(STARTS)}, not "
                f'"{self.family}" and "{self.start}".'
            )
        kind = EQUAL_STEPS[self.family]
        if "order" in kind.uses and self.order not in range(1, kind.order + 1):
            raise BiomecError(f"Integrator: the order of {self.family} is 1 to {kind.order}.")
        if not (self.tolerance > 0.0 and self.max_iterations > 0 and 0.0 <= self.rho <= 1.0):
            raise BiomecError("Integrator: tolerance and iterations must be positive, ρ between 0 and 1.")


CORRECTED = frozenset({"tolerance", "max_iterations"})
INTEGRATORS: Mapping[str, IntegratorKind] = FrozenDict({one.key: one for one in (
    IntegratorKind("trapezoidal", "trapezoidal", "Trapezoidal (single step)",
                   "Robust; errors shrink with the square of the step.",
                   Steps.EQUAL, 2, CORRECTED, Trapezoidal),
    IntegratorKind("adams", "Adams-Bashforth-Moulton", "Adams-Bashforth-Moulton (multistep)",
                   "For smooth motions; starts with Runge-Kutta steps.",
                   Steps.EQUAL, 4, CORRECTED | {"order"}, Adams),
    IntegratorKind("gear", "Gear", "Gear (multistep)",
                   "For stiff motions; starts with Runge-Kutta steps.",
                   Steps.EQUAL, 4, CORRECTED | {"order"}, Gear),
    IntegratorKind("generalised-alpha", "generalised-alpha", "Generalised-α",
                   "Trapezoidal with damping of fast oscillations that are not motion.",
                   Steps.EQUAL, 2, CORRECTED | {"rho"}, GeneralisedAlpha),
    IntegratorKind("variable", "trapezoidal, variable step", "Trapezoidal, variable step",
                   "Steps as long as the allowed error permits.",
                   Steps.ADAPTED, 2, CORRECTED | {"error"}),
    IntegratorKind("runge-kutta-8", "runge-kutta 8, variable step", "Runge-Kutta of order 8, variable step",
                   "Very exact for smooth motions.", Steps.SCIPY, 8, frozenset({"error"}), scipy="DOP853"),
    IntegratorKind("runge-kutta-5", "runge-kutta 5, variable step", "Runge-Kutta of order 5, variable step",
                   "Exact for smooth motions.", Steps.SCIPY, 5, frozenset({"error"}), scipy="RK45"),
    IntegratorKind("radau", "radau, variable step", "Radau, variable step",
                   "Exact for stiff motions; slow.", Steps.SCIPY, 5, frozenset({"error"}), scipy="Radau"),
    IntegratorKind("bdf", "bdf, variable step", "Backward differences, variable step",
                   "For stiff motions.", Steps.SCIPY, 5, frozenset({"error"}), scipy="BDF"),
    IntegratorKind("lsoda", "lsoda, variable step", "LSODA, variable step",
                   "Chooses between Adams and backward differences by itself.",
                   Steps.SCIPY, 12, frozenset({"error"}), scipy="LSODA"),
    IntegratorKind("constant-acceleration", "constant acceleration, joint by joint",
                   "Constant acceleration, joint by joint", "Every state obeys the constraints; quick.",
                   Steps.JOINT, 1, joint_step=joint_steps.constant_acceleration),
    IntegratorKind("symplectic-euler", "symplectic Euler, joint by joint", "Symplectic Euler, joint by joint",
                   "The simplest; every state obeys the constraints.",
                   Steps.JOINT, 1, joint_step=joint_steps.symplectic_euler),
    IntegratorKind("joint-trapezoidal", "trapezoidal, joint by joint", "Trapezoidal, joint by joint",
                   "Every state obeys the constraints.", Steps.JOINT, 2, joint_step=joint_steps.trapezoidal),
    IntegratorKind("joint-runge-kutta", "Runge-Kutta, joint by joint", "Runge-Kutta, joint by joint",
                   "Exact, and every state obeys the constraints; slower.",
                   Steps.JOINT, 4, joint_step=joint_steps.runge_kutta),
)})  # fmt: skip
"""Key -> integrator, in the order of lists."""
EQUAL_STEPS: Mapping[str, IntegratorKind] = FrozenDict(
    {key: one for key, one in INTEGRATORS.items() if one.steps is Steps.EQUAL}
)
SCIPY: Mapping[str, str] = FrozenDict({one.method: one.scipy for one in INTEGRATORS.values() if one.scipy})
"""What scipy's integrators are called here -> what scipy calls them."""


def new_integrator(options: IntegratorOptions) -> Integrator:
    """Return a new integrator, without a past."""
    make = EQUAL_STEPS[options.family].make
    assert make is not None
    return make(options)
