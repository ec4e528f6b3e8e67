"""Everything a user can choose about an analysis, in one immutable object."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from biomec.base.errors import BiomecError
from biomec.base.fields import setting, shipped
from biomec.body.anatomy.subject_model import ModelOptions
from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.body.kinematics.joint_angles import AngleOptions
from biomec.body.loads.load_components import LoadReading
from biomec.body.loads.options import LoadOptions
from biomec.body.muscles.emg_comparison import EmgComparisonOptions
from biomec.body.muscles.options import MuscleFit
from biomec.body.muscles.sharing_options import SharingOptions
from biomec.body.plug_in_gait.parameters import PlugInGaitOptions
from biomec.recording.label_map import LabelMap
from biomec.signals import (
    PLATE_FILTER,
    AssignOptions,
    ContactOptions,
    CycleOptions,
    FilterOptions,
    ReconstructionOptions,
    StaticPoseOptions,
)
from biomec.signals.cycle_average import PERCENT_POINTS
from biomec.signals.emg_muscles import EmgReading

WHOLE_BODY = "whole-body"
"""Muscle set of legs, shoulders and arms."""
CANDIDATES = ("elbow flexion", "knee flexion", "shoulder abduction", "shoulder elevation", "shoulder flexion")
"""Angles whose minima border the cycles where no steps are seen, in the order in which they are tried."""
MOST_POINTS = 10_001
EVENTS, AUTO, NONE = "events", "auto", "none"
CYCLES_BY = {
    AUTO: "automatic: steps, else an angle",
    EVENTS: "foot strikes",
    NONE: "no cycles",
    **{name: name for name in CANDIDATES},
}


@dataclass(frozen=True)
class PreparationSettings:
    """Labels: the marker set they belong to, shipped or a .toml file (None: the shipped one that fits best), and a
    laboratory's own mapping; repair_swaps: labels that are found exchanged are exchanged back.
    """

    marker_set: str | None = setting(
        None, "Marker set", "Protocol that the labels belong to; it says which markers move together.",
        choices=partial(shipped, "marker_sets", "the one that fits best"), files=True)  # fmt: skip
    label_map: LabelMap | None = setting(
        None, "Own mapping of labels", "A laboratory's own names for the markers; chosen in Edit ▸ Labels.", shown=True
    )
    repair_swaps: bool = setting(
        False, "Repair exchanged labels", "Exchange labels back where two markers are found under each other's label."
    )


@dataclass(frozen=True)
class ContactChoice:
    """Whose force a contact is, by the user's word.

    plate   : name of the plate
    at_s    : a time at which the contact lasts [s]; so it is still found if thresholds change
    segment : a hand or foot, or None: nobody's
    """

    plate: str
    at_s: float
    segment: str | None


@dataclass(frozen=True)
class SignalSettings:
    """From markers and plates as measured to clean ones. A filter of None leaves them as they are.

    by_hand : contacts whose segment the user has chosen
    """

    static: StaticPoseOptions = setting(
        factory=StaticPoseOptions, label="Static acquisition", help="How the pose of the static acquisition is taken."
    )
    reconstruction: ReconstructionOptions = setting(
        factory=ReconstructionOptions, label="Lost markers", help="How markers that the cameras lost are rebuilt."
    )
    marker_filter: FilterOptions | None = setting(
        factory=FilterOptions, label="Filter of the markers",
        help="Low-pass filter without delay; off leaves markers as they are.")  # fmt: skip
    plate_filter: FilterOptions | None = setting(
        PLATE_FILTER, "Filter of the force plates", "Low-pass filter without delay; off leaves forces as they are."
    )
    contacts: ContactOptions = setting(
        factory=ContactOptions, label="Contacts with the plates", help="When a hand or foot is on a plate."
    )
    assignment: AssignOptions = setting(
        factory=AssignOptions, label="Whose contact it is", help="How a contact is given to a hand or foot."
    )
    by_hand: tuple[ContactChoice, ...] = setting(
        (), "Contacts given by hand", "Chosen in Edit ▸ Plate Assignment; they come before what is found."
    )


@dataclass(frozen=True)
class BodySettings:
    """model: name or file of the body model (None: the one that suits the marker set); options: how it is fitted.

    plug_in_gait : foot of the static, and whether Plug-in Gait is computed as Vicon does it, too
    """

    model: str | None = setting(
        None, "Model", "Segments, joints and angles of the body.",
        choices=partial(shipped, "models", "the one that suits the marker set"), files=True)  # fmt: skip
    options: ModelOptions = setting(
        factory=ModelOptions, label="Fit to the person", help="How the model gets its lengths, centres and masses."
    )
    plug_in_gait: PlugInGaitOptions = setting(
        factory=PlugInGaitOptions, label="Plug-in Gait",
        help="The foot in the static, and Plug-in Gait as Vicon computes it beside our own model.")  # fmt: skip


@dataclass(frozen=True)
class CycleSettings:
    """What repeats: "auto", "events" (foot strike to foot strike), "none", or an angle such as "elbow flexion".

    An angle is averaged over both sides; its minima are the borders.

    points : of a mean curve; None takes the mean of the longest and the shortest cycle, as [Nunes2017]
    """

    by: str = setting(
        "auto", "Cycles by", "Steps, or the minima of an angle that is averaged over both sides.", choices=CYCLES_BY,
        others="or another joint angle")  # fmt: skip
    options: CycleOptions = setting(
        factory=CycleOptions, label="Borders of cycles", help="What counts as the border between two cycles."
    )
    points: int | None = setting(
        PERCENT_POINTS, "Points of a mean curve", "Samples from 0 to 100 % of the cycle.",
        least=2,
        most=MOST_POINTS, nothing="mean of the longest and the shortest cycle")  # fmt: skip

    def __post_init__(self) -> None:
        if self.points is not None and not 2 <= self.points <= MOST_POINTS:
            raise BiomecError(f"Cycles: a mean curve has 2 to {MOST_POINTS} points, not {self.points}.")


@dataclass(frozen=True)
class MuscleSettings:
    """set: muscles that come with Biomec, or a .toml file; how they are fitted, and how they share torques.

    emg : how measured activations are made comparable, where sharing uses them
    """

    set: str = setting(
        WHOLE_BODY, "Muscle set", "Muscles and their paths; those that the body model cannot carry are left out.",
        choices=partial(shipped, "muscles/sets"), files=True)  # fmt: skip
    fit: MuscleFit = setting(
        factory=MuscleFit, label="Fit to the person", help="How paths and forces of the set are brought to the person."
    )
    sharing: SharingOptions = setting(
        factory=SharingOptions, label="Sharing", help="How the torques of the joints are shared among muscles."
    )
    emg: EmgComparisonOptions = setting(
        factory=EmgComparisonOptions, label="Measured activation", help="How EMG is made comparable with activations."
    )


@dataclass(frozen=True)
class AnalysisSettings:
    """Settings of all steps that have any, by the name of the step. Defaults are those of the manual.

    load_reading : how window, tables and report show joint loads; no result depends on it
    emg          : how a report shows EMG over cycles; no result depends on it
    """

    preparation: PreparationSettings = setting(
        factory=PreparationSettings, label="Preparation", help="Which marker set the recording uses."
    )
    signals: SignalSettings = setting(
        factory=SignalSettings, label="Signals", help="From markers and plates as measured to clean ones."
    )
    body: BodySettings = setting(
        factory=BodySettings, label="Body model", help="The model, and how it is fitted to the person."
    )
    positions: ConsistencyOptions = setting(
        factory=ConsistencyOptions, label="Consistent positions", help="How measured motion is made to obey the model."
    )
    angles: AngleOptions = setting(factory=AngleOptions, label="Joint angles", help="How angles are reported.")
    cycles: CycleSettings = setting(factory=CycleSettings, label="Cycles", help="What repeats in the movement.")
    loads: LoadOptions = setting(
        factory=LoadOptions, label="Joint loads", help="How the loads of the joints are computed."
    )
    muscles: MuscleSettings = setting(
        factory=MuscleSettings, label="Muscles", help="Which muscles there are, and how they share the torques."
    )
    load_reading: LoadReading = setting(
        factory=LoadReading, label="Loads as shown",
        help="How plots, tables and report show the loads; nothing is computed again.")  # fmt: skip
    emg: EmgReading = setting(
        factory=EmgReading, label="EMG as shown", help="How the clinical report shows EMG over the cycles."
    )
