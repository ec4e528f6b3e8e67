"""Settings of kinematic consistency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from biomec.base.errors import BiomecError
from biomec.base.fields import setting
from biomec.body.kinematics.weights import WeightOptions
from biomec.engine.position import PositionOptions
from biomec.engine.projection import ProjectionOptions
from biomec.recording.plate import LOADED_N
from biomec.signals.derivatives import Scheme

Method = Literal["auto", "coordinates", "markers"]
Holding = Literal["steady", "threshold", "always", "never"]
Metric = Literal["mass", "identity"]


@dataclass(frozen=True)
class ConsistencyOptions:
    """How measured motion is made to obey the model.

    method      : "coordinates": the consistent coordinates nearest to the measured ones, as published; "markers":
                  global optimisation, the consistent coordinates whose markers are nearest to the measured markers;
                  "auto": what the marker set asks for (docs/consistency.md has the measurements)
    contacts    : "steady": a hand or foot whose contact lasts through the whole recording is held at its centre of
                  pressure, as in a push-up, a squat or standing; one that begins or ends within it is not, because the
                  motion would jump where it does; "threshold": held from where the force rises above ``threshold_n``
                  until it falls below ``threshold_n`` − ``hysteresis_n``; "always": in every frame of a contact;
                  "never"
    weights     : of coordinates or markers
    moved_markers : find markers that were moved since the static (`moved_markers`), for global optimisation
    metric      : of the projection of velocities and accelerations: the masses, or all coordinates alike
    scheme      : of the derivatives in time
    """

    method: Method = setting(
        "auto", "Method", "What the fitted model stays near to: its measured coordinates, or the markers.",
        choices={"auto": "the one that suits the marker set",
        "coordinates": "nearest consistent coordinates (as published)",
        "markers": "global optimisation on the markers"})  # fmt: skip
    contacts: Holding = setting(
        "steady", "Hands and feet on plates", "When they are held at the centre of pressure.",
        choices={"steady": "held if they stay on it throughout", "threshold": "held while the force is high",
        "always": "held in every frame of a contact", "never": "never held"})  # fmt: skip
    threshold_n: float = setting(
        LOADED_N, "Held above", "Force at which a hand or foot begins to be held.", unit="N", least=0.0
    )
    hysteresis_n: float = setting(
        10.0, "Hysteresis", "It is let go when the force falls so far below.", unit="N", least=0.0
    )
    weights: WeightOptions = setting(
        factory=WeightOptions, label="Weights", help="How strongly measurements hold what they measured."
    )
    moved_markers: bool = setting(
        True, "Find markers moved since the static",
        "In global optimisation: where the segments above and below show it, their places are found anew.")  # fmt: skip
    metric: Metric = setting(
        "mass", "Metric", "Velocities and accelerations are projected by the masses, or with all coordinates alike.",
        choices={"mass": "by the masses", "identity": "all alike"})  # fmt: skip
    scheme: Scheme = setting(
        Scheme.CENTRAL, "Derivatives", "Central differences, or a quintic spline through the samples.",
        choices={Scheme.CENTRAL: "central differences", Scheme.SPLINE: "quintic spline"})  # fmt: skip
    position: PositionOptions = setting(
        factory=PositionOptions, label="Solution of the positions", help="When a frame counts as solved."
    )
    projection: ProjectionOptions = setting(
        factory=ProjectionOptions, label="Projection of velocities and accelerations",
        help="How they are made to obey the model.")  # fmt: skip

    def __post_init__(self) -> None:
        for what, value, known in (
            ("method", self.method, get_args(Method)),
            ("contacts", self.contacts, get_args(Holding)),
            ("metric", self.metric, get_args(Metric)),
        ):
            if value not in known:
                raise BiomecError(f'Consistency: {what} is "{value}"; choose one of {", ".join(known)}.')
        if not 0.0 <= self.hysteresis_n < self.threshold_n:
            raise BiomecError(
                f"Consistency: the hysteresis of a contact is {self.hysteresis_n:g} N and its threshold "
                f"{self.threshold_n:g} N; the hysteresis must be at least 0 and below the threshold."
            )
        object.__setattr__(self, "scheme", Scheme(self.scheme))
