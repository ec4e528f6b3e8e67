"""Formulations of the equations of motion: the one table of them. Window, command line, settings and studies of
machines all read it.

To add one, write its class and its entry here; nothing else has to know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.engine.forces.applied import Forces, InnerForces
from biomec.engine.forward.formulation import Formulation, FormulationOptions
from biomec.engine.forward.independent import IndependentCoordinates
from biomec.engine.forward.index3 import Index3
from biomec.engine.forward.integrators import IntegratorOptions
from biomec.engine.forward.lagrangian import AugmentedLagrangian, ClassicLagrange, Penalty, StabilisedLagrange
from biomec.engine.forward.semi_recursive import SemiRecursive
from biomec.engine.forward.simulation import Stepped, Stepper
from biomec.engine.system import System

Roots = Sequence[str]


@dataclass(frozen=True)
class FormulationKind:
    """One formulation.

    key   : in files, settings and on the command line
    name  : in a table or sentence;  title, help : in a list, and what it is good for
    uses  : settings of `FormulationOptions` that have a meaning for it
    make  : of a system, options and bodies that may be the root; None where it finds positions, not accelerations
            (`Index3`)
    code  : in published tables; empty where it stands in none
    tree  : whether it is one in velocities of the joints of a tree
    """

    key: str
    name: str
    title: str
    help: str
    uses: frozenset[str]
    make: Callable[[System, FormulationOptions, Roots], Formulation] | None
    code: str = ""
    tree: bool = False

    @property
    def finds_positions(self) -> bool:
        """Whether it solves for positions, so that only implicit formulas of equal steps integrate it."""
        return self.make is None

    def accelerations(self, system: System, options: FormulationOptions, roots: Roots = ()) -> Formulation:
        """The formulation of a system; refused where it finds positions."""
        if self.make is None:
            raise BiomecError(f"{self.title}: it finds positions, not accelerations.")
        return self.make(system, options, roots)

    def stepper(
        self,
        system: System,
        forces: Forces,
        options: FormulationOptions,
        integrator: IntegratorOptions,
        roots: Roots = (),
        inner: InnerForces | None = None,
    ) -> Stepper:
        """The formulation of a system with an integrator of equal steps; ``inner`` as of `Stepped`."""
        if self.finds_positions and inner is not None:
            raise BiomecError(
                f"{self.title}: it finds positions, and cannot carry the states of muscles. Take another formulation, "
                "such as stabilised Lagrange."
            )
        if self.finds_positions:
            return Index3(system, forces, options, integrator)
        return Stepped(self.accelerations(system, options, roots), forces, integrator, inner)


def _semi_recursive(system: System, options: FormulationOptions, roots: Roots) -> Formulation:
    return SemiRecursive(system, options, roots=roots, stabilised=True)


BAUMGARTE = frozenset({"xi", "omega"})
FORMULATIONS: Mapping[str, FormulationKind] = FrozenDict({one.key: one for one in (
    FormulationKind("classic", "classic Lagrange", "Classic Lagrange",
                    "Multipliers with the accelerations; constraints drift slowly away.",
                    frozenset({"alpha"}), lambda system, options, _: ClassicLagrange(system, options), "LC"),
    FormulationKind("stabilised", "stabilised Lagrange", "Stabilised Lagrange (Baumgarte)",
                    "As classic Lagrange; violations of the constraints are damped.",
                    BAUMGARTE | {"alpha"}, lambda system, options, _: StabilisedLagrange(system, options), "LE"),
    FormulationKind("penalty", "penalty", "Penalty",
                    "Constraints act as stiff springs and dampers: quick, and a little soft.",
                    BAUMGARTE | {"alpha"}, lambda system, options, _: Penalty(system, options), "LP"),
    FormulationKind("augmented", "augmented Lagrangian", "Augmented Lagrangian",
                    "Penalty with multipliers that are found by iteration.",
                    BAUMGARTE | {"alpha", "tolerance", "max_iterations"},
                    lambda system, options, _: AugmentedLagrangian(system, options), "LA"),
    FormulationKind("index-3", "augmented Lagrangian, index 3, projections", "Augmented Lagrangian with projections",
                    "Positions obey the constraints in every step; velocities and accelerations are projected on them.",
                    frozenset({"alpha"}), None, "LAP"),
    FormulationKind("independent", "independent coordinates", "Independent coordinates (matrix R)",
                    "Only as many coordinates as the body has freedoms.",
                    BAUMGARTE,
                    lambda system, options, _: IndependentCoordinates(system, options, stabilised=True), "R"),
    FormulationKind("semi-recursive", "semi-recursive", "Semi-recursive",
                    "Velocities of the joints, gathered from the ends of the body to its root.",
                    BAUMGARTE, _semi_recursive, "SR", tree=True),
    FormulationKind("newton-euler", "Newton-Euler, joint by joint", "Newton-Euler, joint by joint",
                    "Newton's and Euler's equations of the segments, gathered from the ends of the body to its root.",
                    BAUMGARTE, _semi_recursive, tree=True),
)})  # fmt: skip
"""Key -> formulation, in the order of lists."""
