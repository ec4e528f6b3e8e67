"""What a user can choose about inverse dynamics."""

from __future__ import annotations

from dataclasses import dataclass

from biomec.base.errors import BiomecError
from biomec.body.loads.residual_reduction import ReductionOptions

METHODS = ("newton", "lagrange", "velocity")
CONSTRAINTS = ("spherical", "all")
EXTERNAL = ("auto", "plates", "estimated", "none")


@dataclass(frozen=True)
class InverseOptions:
    """How joint loads are computed. Newton-Euler always runs beside the multibody method.

    method      : of the multibody computation: "newton" (multipliers and actuator directions), "lagrange" (guide
                  constraints) or "velocity" (velocity transformation; no multipliers)
    constraints : "spherical" leaves all three torques of every joint to its actuators, as published; "all" keeps
                  universal, revolute and gliding constraints, so that the force between scapula and thorax comes out
    external    : "plates" takes the measured forces, "estimated" computes the ground reaction from the motion, "none"
                  leaves it to the residual; "auto" measures where the plates bear the body and estimates elsewhere
    root        : segment that carries the residual (None: the model's own)
    reduction   : adjust masses and motion so that they agree with the plates; None leaves them as they are
    """

    method: str = "newton"
    constraints: str = "spherical"
    external: str = "auto"
    root: str | None = None
    reduction: ReductionOptions | None = None

    def __post_init__(self) -> None:
        for name, known in (("method", METHODS), ("constraints", CONSTRAINTS), ("external", EXTERNAL)):
            if getattr(self, name) not in known:
                raise BiomecError(f'Inverse dynamics: {name} is {", ".join(known)}, not "{getattr(self, name)}".')
