"""What a user can choose about a simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.fields import MICROMETRES, MS, Words, setting
from biomec.base.frozen import FrozenDict
from biomec.body.tracking.what_if import WhatIf
from biomec.engine.forward.formulation import FormulationOptions
from biomec.engine.forward.formulations import FORMULATIONS, FormulationKind
from biomec.engine.forward.integrators import EQUAL_STEPS, INTEGRATORS, IntegratorKind, IntegratorOptions, Steps

AUTO = "auto"
RESULTANT = "resultant"
MUSCLES = "muscles"
LAWS: Mapping[str, str] = FrozenDict(
    {
        "inverse": "feed-forward",
        "pd": "proportional-derivative",
        "computed-torque": "computed torque",
        "underactuated": "computed torque",
        MUSCLES: "computed torque",
    }
)
"""Input that follows the movement -> law of control."""
ROOT: Mapping[str, str] = FrozenDict(
    {"inverse": "free", "pd": "held", "computed-torque": "held", "underactuated": "ground", MUSCLES: "held"}
)
"""Input -> what holds the root where the user leaves it open."""
INPUTS: Mapping[str, tuple[str, str]] = FrozenDict(
    {
        "computed-torque": (
            "Computed torques",
            "Torques that give every joint the acceleration that leads it back to the recorded movement. Follows to a "
            "micrometre where a residual force holds the root.",
        ),
        "underactuated": (
            "Computed torques, ground holds the body",
            "As computed torques, but nothing holds the root: the ground reactions change by what it needs. Tells how "
            "far the plates are from what the movement needs. Best for what-if questions.",
        ),
        "pd": (
            "Torques with springs and dampers (PD)",
            "Torques of inverse dynamics, and a spring and a damper at every joint. How near it stays depends on the "
            "stiffness.",
        ),
        "inverse": (
            "Torques of inverse dynamics and plates",
            "Torques and ground reactions are played back and nothing corrects an error: a body on its hands and feet "
            "falls within a second. Shows why control is needed.",
        ),
        MUSCLES: (
            "Muscles",
            "Muscles of the set in the settings Muscles follow the movement: excitations are found every 5 ms, and "
            "activations and tendons take their time. Reserve torques tell what no muscle could give. Joints without "
            "muscles have computed torques. Takes about a minute a second; choose a cycle or a few frames.",
        ),
        RESULTANT: (
            "Resultant forces of the movement",
            "Mass times acceleration of the recorded motion stands for everything that acts. The motion returns to "
            "about a tenth of a millimetre; shows what equations and integrator are worth.",
        ),
    }
)
"""Input -> what people call it and what it means, in the order of lists."""
CONTACT = "contact"
FEET = "feet"
ROOTS: Mapping[str, tuple[str, str]] = FrozenDict(
    {
        "held": ("A residual force", "Whatever is missing acts on the root, as in inverse dynamics."),
        "free": ("Nothing", "Only the ground reactions: whatever does not fit carries the body away."),
        "ground": ("Changed ground reactions", "The ground reactions change by what the root needs."),
        CONTACT: (
            "Contact with the floor",
            "Hands and feet press and rub on the floor as soft spheres do; recorded reactions are not used.",
        ),
        FEET: (
            "Identified contact of the feet",
            "For walking: spheres under feet and crutches are found from forces and recorded motion; then only they "
            "hold the body, which joint torques keep up. Takes some ten seconds.",
        ),
    }
)
"""What holds the root of a body that follows a movement -> what people call it and what it means."""
FORMULATION_WORDS: Words = {
    AUTO: ("Automatic", "Semi-recursive where the movement is followed, stabilised Lagrange for resultant forces."),
    **{key: (one.title, one.help) for key, one in FORMULATIONS.items()},
}
INTEGRATOR_WORDS: Words = {
    AUTO: (
        "Automatic",
        "Joint by joint where torques follow the movement, trapezoidal with muscles or index 3, else Adams of order 4.",
    ),
    **{key: (one.title, one.help) for key, one in INTEGRATORS.items()},
}
ADAPTED = "variable"  # integrator of steps that are doubled and halved
STEP_S = {True: 1e-3, False: 2e-3}  # with a controller and without
FEET_INTEGRATOR = "symplectic-euler"
FEET_STEP_S = 1e-3  # of steps that are linearly implicit in the forces of contact
CONTACT_STEP_S = 5e-4  # friction of contacts shakes with longer ones
MOST_ITERATIONS = 1000  # more would only make a run that does not settle take for ever to tell
WEAK_CONTACT_STEP_S = 1e-4  # and sooner where a weakened joint lets a limb move that is lighter than the body


@dataclass(frozen=True)
class SimulationSettings:
    """One simulation of a recorded movement. The defaults follow the whole movement, stably.

    name        : of the run in its project; made of the other settings if empty
    input       : what moves the body: "resultant" (Q = M q̈ of the recorded motion), "inverse" (torques of inverse
                  dynamics and ground reactions played back, which diverges), "pd", "computed-torque" or "underactuated"
                  (torques that follow the movement), or "muscles" (computed muscle control)
    root        : of an input that follows: "held", "free", "ground" (see `ControlOptions`), "contact" (hands and feet
                  press on the floor, and recorded reactions do nothing but fit that contact), "feet" (contact of the
                  feet, identified from plates and motion, of a body that its joints keep up; `walking_contact`), or
                  "auto" by the input
    seed        : of the search for contact of the feet
    formulation : of `FORMULATIONS`, or "auto": semi-recursive where a movement is followed, else stabilised Lagrange
    integrator  : of `INTEGRATORS`, or "auto"
    order       : of Adams and Gear
    step_s      : [s]; None: 1 ms where a movement is followed (0.5 ms on contacts, 0.1 ms with weakened joints), else
                  2 ms. Steps are fitted to the frames
    frames      : first and last frame of the stretch, counted from 0, both included; None: all that are known
    cycle       : instead of frames, the name of a cycle, such as "2" or "Right 1"
    equations   : α, ξ, ω, tolerance and most iterations of the formulation
    tolerance   : at which the corrector of a step ends [m]
    error       : allowed in a step of variable length [m]
    rho         : of generalised-alpha, spectral radius at infinite frequency
    stiffness   : c_P of the control [1/s²];  damping : c_D [1/s], critical if None
    joint_stops : whether stops turn back angles beyond their published ranges, and bear part of the joint moments
    what_if     : what is different from the recording
                  (both for inputs that follow the movement: resultant forces hold everything already)
    max_iterations : of the corrector of a step, or of index 3; a step that needs more ends the run
    """

    name: str = setting("", "Name", "Name of the run.")
    input: str = setting("computed-torque", "Input", "What moves the body.", choices=INPUTS)
    root: str = setting(
        AUTO, "Held by", "What holds the root.", choices={AUTO: ("Automatic", "As the input has it."), **ROOTS}
    )
    formulation: str = setting(AUTO, "Equations", "Formulation of the equations of motion.", choices=FORMULATION_WORDS)
    integrator: str = setting(AUTO, "Integrator", "How time is stepped.", choices=INTEGRATOR_WORDS)
    order: int = setting(4, "Order", "Order of Adams and Gear; 4 is usual.", least=1, most=4)
    step_s: float | None = setting(
        None, "Step", "Automatic: 1 ms where the movement is followed, 0.5 ms on contacts, 0.1 ms there with weakened "
        "joints, else 2 ms; steps fit the frames.",
        unit="ms", factor=MS, least=0.0, most=1000.0, nothing="automatic")  # fmt: skip
    frames: tuple[int, int] | None = None
    cycle: str | None = None
    equations: FormulationOptions = setting(
        factory=FormulationOptions, label="Equations", help="Numbers of the formulation.", advanced=True
    )
    tolerance: float = setting(
        1e-8, "Corrector tolerance", "Integrators of equal steps, and trapezoidal of variable ones: ends the "
        "iterations of a step.", unit="m", typed=True, advanced=True)  # fmt: skip
    error: float = setting(
        1e-7, "Allowed error", "Error that a step of variable length may make.",
        unit="µm", factor=MICROMETRES, least=0.0001, most=1000.0)  # fmt: skip
    rho: float = setting(
        0.8, "Damping ρ", "Generalised-α: what a step leaves of the fastest oscillations; 1 all, 0 nothing.",
        least=0.0, most=1.0, typed=True, advanced=True)  # fmt: skip
    stiffness: float = setting(1e3, "Stiffness", "Stiffness of the control.", unit="1/s²", least=1.0, most=1e6)
    damping: float | None = setting(
        None, "Control damping", "Of computed torques and of springs at the joints; critical, if empty: twice the root "
        "of the stiffness.", unit="1/s", typed=True, nothing="critical", advanced=True)  # fmt: skip
    joint_stops: bool = setting(
        False, "Stops at the ends of the joints' ranges",
        "Soft stops turn back angles beyond the average range of adults, and bear part of the joint "
        "moments.")  # fmt: skip
    what_if: WhatIf = setting(factory=WhatIf, label="What if", help="What is different from the recording.")
    max_iterations: int = setting(
        50, "Step iterations", "Integrators of equal steps, and trapezoidal of variable ones: at most so many; a step "
        "that needs more ends the run, or is made shorter.",
        least=1, most=MOST_ITERATIONS, typed=True, advanced=True)  # fmt: skip
    seed: int = setting(
        1, "Seed", "Of the search for contact of the feet: the same seed gives the same result.", least=0, most=99999,
        advanced=True)  # fmt: skip

    def __post_init__(self) -> None:
        choices = (
            ("input", self.input, tuple(INPUTS)),
            ("formulation", self.formulation, (AUTO, *FORMULATIONS)),
            ("integrator", self.integrator, (AUTO, *INTEGRATORS)),
            ("root", self.root, (AUTO, *ROOTS)),
        )
        for what, value, known in choices:
            if value not in known:
                raise BiomecError(f'Simulation: the {what} is {", ".join(known)}, not "{value}".')
        amounts = (self.tolerance, self.error, self.stiffness, *(() if self.step_s is None else (self.step_s,)))
        if not all(0.0 < one < np.inf for one in amounts):
            raise BiomecError("Simulation: the step, the tolerances and the stiffness must be positive numbers.")
        if self.damping is not None and not 0.0 <= self.damping < np.inf:
            raise BiomecError(
                f"Simulation: the control damping cannot be {self.damping:g}, because it would feed energy "
                "into the motion. Give a number from 0 up, or none for critical damping."
            )
        for whose, most in (("a step", self.max_iterations), ("its equations", self.equations.max_iterations)):
            if most not in range(1, MOST_ITERATIONS + 1):
                raise BiomecError(f"Simulation: iterations of {whose} are 1 to {MOST_ITERATIONS}, not {most:g}.")
        if self.frames is not None:
            object.__setattr__(self, "frames", tuple(self.frames))
            if len(self.frames) != 2 or not 0 <= self.frames[0] < self.frames[1]:
                raise BiomecError("Simulation: a stretch needs a first frame and a later last one.")
            if self.cycle is not None:
                raise BiomecError("Simulation: choose a cycle or a stretch of frames, not both.")
        if self.root != AUTO and not self.follows:
            raise BiomecError("Simulation: resultant forces move the root too, so that nothing can hold it.")
        if self.root == FEET:
            self._refuse_on_feet()
        if self.root == CONTACT and LAWS[self.input] != "computed torque":
            raise BiomecError(
                "Simulation: a body that only contact with the floor holds needs computed torques. Choose that input."
            )
        if self.root == CONTACT and self.what_if.grip_m:
            raise BiomecError("Simulation: contacts stand where the hands are, so that their grip cannot be changed.")
        if (self.joint_stops or self.what_if != WhatIf()) and not self.follows:
            raise BiomecError(
                "Simulation: resultant forces belong to the body and the ground as they were, and hold what stops of "
                "the joints did. To ask what would change, or for stops, choose an input that follows the movement."
            )
        if self.input == MUSCLES and self.root not in (AUTO, "held"):
            raise BiomecError("Simulation: muscles follow the movement while a residual force holds the root.")
        if self.input == MUSCLES and any(self.what_if.weakened.values()):
            raise BiomecError(
                "Simulation: torques of joints cannot be weakened where muscles make them. Weaken muscles in their set."
            )
        self._refuse_pairs()
        if self.integrator_kind.steps is Steps.EQUAL:
            self.integrator_options()  # refuses what an integrator cannot be

    def _refuse_on_feet(self) -> None:
        if self.input != "computed-torque":
            raise BiomecError(
                "Simulation: a body that only contact of its feet holds needs computed torques. Choose that input."
            )
        if self.chosen_formulation != "semi-recursive" or self.chosen_integrator != FEET_INTEGRATOR:
            raise BiomecError(
                "Simulation: on identified contact of the feet, equations are semi-recursive and steps symplectic "
                "Euler's, linearly implicit in the contact. Leave both automatic."
            )
        if self.damping is not None:
            raise BiomecError(
                "Simulation: on identified contact of the feet, control is critically damped. Leave the damping empty."
            )
        if any(self.what_if.weakened.values()) or self.what_if.grip_m:
            raise BiomecError(
                "Simulation: weakened joints and another grip are not for identified contact of the feet. Choose "
                "contact with the floor, or another way to hold the root."
            )

    def _refuse_pairs(self) -> None:
        formulation, integrator = self.formulation_kind, self.integrator_kind
        if integrator not in fitting_integrators(formulation, self.input):
            if self.input == MUSCLES and formulation.finds_positions:
                raise BiomecError(
                    "Simulation: the index-3 formulation finds positions, and cannot carry the states of muscles. "
                    "Choose another one, such as semi-recursive."
                )
            if self.input == MUSCLES:
                raise BiomecError(
                    f"Simulation: muscles decide anew every few steps, which must be equal. Choose "
                    f"{', '.join(EQUAL_STEPS)}."
                )
            if integrator.steps is Steps.JOINT:
                raise BiomecError(
                    f"Simulation: steps by {integrator.name}, are for an input that follows the movement, with the "
                    "semi-recursive formulation. Choose another integrator."
                )
            raise BiomecError(
                f"Simulation: the index-3 formulation finds positions, not accelerations, so that {integrator.key} "
                f"cannot be used with it. Choose {', '.join(EQUAL_STEPS)} or {ADAPTED}."
            )

    @property
    def follows(self) -> bool:
        """Whether joint torques and ground reactions move the body, not resultant forces."""
        return self.input != RESULTANT

    @property
    def chosen_root(self) -> str:
        """What holds the root."""
        return ROOT[self.input] if self.root == AUTO else self.root

    @property
    def chosen_formulation(self) -> str:
        """The formulation in use."""
        if self.formulation != AUTO:
            return self.formulation
        return "semi-recursive" if self.follows else "stabilised"

    @property
    def chosen_integrator(self) -> str:
        """The integrator in use."""
        if self.integrator != AUTO:
            return self.integrator
        if self.root == FEET:
            return FEET_INTEGRATOR
        if self.formulation_kind.finds_positions or self.input == MUSCLES:
            return "trapezoidal"
        return "constant-acceleration" if self.follows and self.formulation_kind.tree else "adams"

    @property
    def formulation_kind(self) -> FormulationKind:
        """Entry of the formulation in use."""
        return FORMULATIONS[self.chosen_formulation]

    @property
    def integrator_kind(self) -> IntegratorKind:
        """Entry of the integrator in use."""
        return INTEGRATORS[self.chosen_integrator]

    @property
    def order_words(self) -> str:
        """Order of the integrator where it can be chosen; else empty."""
        return str(self.order) if "order" in self.integrator_kind.uses else ""

    @property
    def chosen_step_s(self) -> float:
        """The step asked for [s]."""
        if self.step_s is not None:
            return self.step_s
        if self.root == FEET:
            return FEET_STEP_S
        if self.root == CONTACT:
            return WEAK_CONTACT_STEP_S if any(self.what_if.weakened.values()) else CONTACT_STEP_S
        return STEP_S[self.follows]

    @property
    def equal_steps(self) -> bool:
        """Whether all steps have the length asked for, not one by error control."""
        return not self.integrator_kind.variable

    @property
    def title(self) -> str:
        """Name of the run, or one made of what was chosen."""
        if self.name:
            return self.name
        order = f" {self.order_words}" if self.order_words else ""
        stretch = f", cycle {self.cycle}" if self.cycle is not None else ""
        extra = {
            CONTACT: self.root == CONTACT,
            FEET: self.root == FEET,
            "stops": self.joint_stops,
            "what if": self.what_if != WhatIf(),
        }
        changed = "".join(f", {name}" for name, there in extra.items() if there)
        return f"{self.input}, {self.chosen_formulation}, {self.chosen_integrator}{order}{stretch}{changed}"

    def integrator_options(self) -> IntegratorOptions:
        """Options of an integrator with equal steps; the trapezoidal rule for one of variable steps."""
        family = self.chosen_integrator if self.chosen_integrator in EQUAL_STEPS else "trapezoidal"
        order = self.order if self.order_words else INTEGRATORS[family].order
        return IntegratorOptions(
            family=family, order=order, tolerance=self.tolerance, max_iterations=self.max_iterations, rho=self.rho
        )


def fitting_integrators(formulation: FormulationKind, input: str) -> tuple[IntegratorKind, ...]:
    """Integrators of a formulation and an input; none where the two do not go together."""
    if input == MUSCLES:
        return () if formulation.finds_positions else tuple(EQUAL_STEPS.values())
    refused = set()
    if formulation.finds_positions:
        refused.add(Steps.SCIPY)
    if not (input != RESULTANT and formulation.tree):
        refused.add(Steps.JOINT)
    return tuple(one for one in INTEGRATORS.values() if one.steps not in refused)
