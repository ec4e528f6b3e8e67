"""What a user can choose about muscle forces."""

from __future__ import annotations

from dataclasses import dataclass

from biomec.base.errors import BiomecError
from biomec.base.fields import PERCENT, setting

QUADRATIC, CUBIC, LEVEL = "quadratic", "cubic", "min-max"
CRITERIA = {
    QUADRATIC: ("Σ a²", "Sum of squared activations: the usual choice."),
    CUBIC: ("Σ a³", "Sum of cubed activations: more muscles share a torque, as endurance would have it."),
    LEVEL: ("least greatest activation", "Every muscle does as little as the hardest working one allows."),
}
PUSH, HOLD, NO_RIBS = "push", "hold", "none"
RIBS = {
    PUSH: ("push only", "Ribs press the scapula outwards and never pull it."),
    HOLD: ("hold in both senses", "As an equation would: the ribs may seem to pull."),
    NO_RIBS: ("do nothing", "Muscles and clavicle carry the scapula alone."),
}
CONE, PENALTY, FREE = "cone", "penalty", "free"
SOCKET = {
    CONE: ("must stay in the socket", "The force on the humeral head must point into the glenoid."),
    PENALTY: ("is drawn to the socket", "Force across the glenoid costs as much as activation does."),
    FREE: ("is free", "The force may point anywhere."),
}
AUTO, INCLUDED, LEFT_OUT = "auto", "included", "left out"
PASSIVE = {
    AUTO: ("if above 1 % of a muscle's strength", ""),
    INCLUDED: ("always included", ""),
    LEFT_OUT: ("left out", ""),
}
SOLID = {"degroote": "De Groote and Fregly 2016", "thelen": "Thelen 2003"}
EVEN, VOLUME = "even", "volume"
NO_EMG, ASSISTED, HYBRID = "none", "assisted", "hybrid"
EMG_WORDS = {NO_EMG: "not used", ASSISTED: "drawn to (EMG-assisted)", HYBRID: "taken as it is (EMG-hybrid)"}


@dataclass(frozen=True)
class SharingOptions:
    """How torques are shared among muscles.

    criterion     : what is made least
    weights       : of muscles in it: "even", or by "volume", Fmax · lopt over their mean
    lowest        : least activation
    reserve_Nm    : τ₀, torque of a reserve that costs as much as one fully active muscle; None: no reserves, so that
                    frames in which strength is lacking have no solution
    ribs          : what ribs do to the scapula;  glenohumeral : what holds the humeral head
    passive       : whether what stretched muscles pull without being active is counted
    curves        : of the muscles;  strength : factor of all Fmax
    emg, emg_weight : whether measured activations are drawn to (with weight γ) or taken as they are
    """

    criterion: str = setting(QUADRATIC, "Muscles share by", "What is made as small as can be.", choices=CRITERIA)
    weights: str = setting(
        EVEN, "Muscles count", "Alike, or large ones more.", choices={EVEN: "alike", VOLUME: "by their volume"}
    )
    lowest: float = setting(
        0.01, "Least activation", "No muscle is less active than that.", unit="%", factor=PERCENT, least=0.0, most=50.0
    )
    reserve_Nm: float | None = setting(
        1.0, "Reserve torque",
        "Torque that costs as much as a fully active muscle. Reserves show where muscles lack strength; small values "
        "keep them a diagnostic. Without them, frames in which strength is lacking have no solution.",
        unit="N·m", least=0.01, most=100.0, nothing="none")  # fmt: skip
    ribs: str = setting(PUSH, "Ribs under the scapula", "What the ribs can do to the shoulder blade.", choices=RIBS)
    glenohumeral: str = setting(CONE, "Humeral head", "What keeps it in its socket.", choices=SOCKET)
    passive: str = setting(AUTO, "Passive force", "What stretched muscles pull without being active.", choices=PASSIVE)
    curves: str = setting("degroote", "Muscle curves", "Force by length and speed of the fibres.", choices=SOLID)
    strength: float = setting(
        1.0, "Strength of all muscles", "Factor of the greatest force of every muscle.", unit="%", factor=PERCENT,
        least=1.0, most=1000.0)  # fmt: skip
    emg: str = setting(
        NO_EMG, "Measured activation",
        "Not used; drawn to where EMG was measured; or taken as it is, so that the other muscles do the rest.",
        choices=EMG_WORDS)  # fmt: skip
    emg_weight: float = setting(
        10.0, "Weight of measured activation", "How much a difference from EMG costs beside activation itself.",
        least=0.0, most=1e4)  # fmt: skip

    def __post_init__(self) -> None:
        known = {
            "criterion": CRITERIA, "weights": (EVEN, VOLUME), "ribs": RIBS, "glenohumeral": SOCKET, "passive": PASSIVE,
            "curves": SOLID, "emg": EMG_WORDS,
        }  # fmt: skip
        for name, choices in known.items():
            if getattr(self, name) not in choices:
                raise BiomecError(f'Muscle forces: {name} is {", ".join(choices)}, not "{getattr(self, name)}".')
        if not 0.0 <= self.lowest < 1.0:
            raise BiomecError(f"Muscle forces: the least activation is {self.lowest:g}; it must be from 0 to below 1.")
        if self.reserve_Nm is not None and not self.reserve_Nm > 0.0:
            raise BiomecError("Muscle forces: the reserve torque must be positive; choose none to have no reserves.")
        if not self.strength > 0.0:
            raise BiomecError("Muscle forces: the factor of all muscles' strength must be positive.")
        if self.emg_weight < 0.0:
            raise BiomecError("Muscle forces: the weight of measured activation cannot be negative.")
