"""What a user can choose about inverse dynamics."""

from __future__ import annotations

from dataclasses import dataclass

from biomec.base.errors import BiomecError
from biomec.base.fields import setting
from biomec.body.loads.measured_aids import AidOptions
from biomec.body.loads.residual_reduction import ReductionOptions

METHODS = ("newton", "lagrange", "velocity")
CONSTRAINTS = ("spherical", "all")
EXTERNAL = ("auto", "plates", "estimated", "none")
MATCHED, OWN, RECORDED = "matched", "own", "recorded"
PLATE_FORCES = {
    MATCHED: "filtered like the markers",
    OWN: "with their own cut-off",
    RECORDED: "as recorded",
}


@dataclass(frozen=True)
class LoadOptions:
    """How joint loads are computed. Newton-Euler always runs beside the multibody method.

    method      : of the multibody computation: "newton" (multipliers and actuator directions), "lagrange" (guide
                  constraints) or "velocity" (velocity transformation; no multipliers)
    constraints : "spherical" leaves all three torques of every joint to its actuators, as published; "all" keeps
                  universal, revolute and gliding constraints, so that the force between scapula and thorax comes out
    external    : "plates" takes the measured forces, "estimated" computes the ground reaction from the motion, "none"
                  leaves it to the residual; "auto" measures where the plates bear the body and estimates elsewhere
    plate_forces: "matched" filters the plates' forces like the markers, so that blows at contact do not become moments
                  that the filtered motion cannot answer [Kristianslund2012, BisselingHof2006]; "own" takes them with
                  the cut-off of the plates, "recorded" unfiltered. Contacts and events never depend on it.
    root        : segment that carries the residual (None: the model's own)
    aids        : forces of instrumented crutches
    reduction   : adjust masses and motion so that they agree with the plates; None leaves them as they are
    """

    method: str = setting(
        "newton", "Multibody method", "Runs beside Newton-Euler; both give the same loads of a consistent motion.",
        choices={"newton": "Newton's equations with multipliers", "lagrange": "Lagrange's equations with guides",
        "velocity": "velocity transformation"})  # fmt: skip
    constraints: str = setting(
        "spherical", "Joints",
        "Ball joints leave all torques to the muscles; all constraints also give the force between scapula and "
        "ribcage.", choices={"spherical": "as ball joints", "all": "with all their constraints"})  # fmt: skip
    external: str = setting(
        "auto", "Ground reaction", "Measured by the plates, computed from the motion, or left to the residual.",
        choices={"auto": "automatic", "plates": "measured by the plates", "estimated": "computed from the motion",
        "none": "none"})  # fmt: skip
    plate_forces: str = setting(
        MATCHED, "Plate forces",
        "Filtered like the markers, joint moments have no spikes at contact; later peaks hardly change. "
        "Contacts and events do not depend on it.", choices=PLATE_FORCES)  # fmt: skip
    root: str | None = setting(
        None, "Segment with the residual", "Carries what motion, masses and plates leave unexplained.",
        choices={None: "the model's own", "thorax": "thorax", "pelvis": "pelvis"},
        others="or another segment")  # fmt: skip
    aids: AidOptions = setting(
        factory=AidOptions, label="Instrumented aids", help="Channels that hold the forces of crutches at their tips."
    )
    reduction: ReductionOptions | None = setting(
        None, "Reduce residuals",
        "Adjust masses and motion within their errors so that they agree with the plates. Every change is listed; "
        "Dynamics ▸ Reduce Residuals shows it before it is made.")  # fmt: skip

    def __post_init__(self) -> None:
        for name, known in (("method", METHODS), ("constraints", CONSTRAINTS), ("external", EXTERNAL),
                            ("plate_forces", tuple(PLATE_FORCES))):  # fmt: skip
            if getattr(self, name) not in known:
                raise BiomecError(f'Inverse dynamics: {name} is {", ".join(known)}, not "{getattr(self, name)}".')
