"""Everything a user can choose about an analysis, in one immutable object."""

from __future__ import annotations

from dataclasses import dataclass, field

from biomec.body.anatomy.subject_model import ModelOptions
from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.body.kinematics.joint_angles import AngleOptions
from biomec.body.loads.load_components import LoadReading
from biomec.body.loads.options import InverseOptions
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


@dataclass(frozen=True)
class PreparationSettings:
    """Labels: the marker set they belong to, shipped or a .toml file (None: the shipped one that fits best), and a
    laboratory's own mapping.
    """

    marker_set: str | None = None
    label_map: LabelMap | None = None


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

    static: StaticPoseOptions = field(default_factory=StaticPoseOptions)
    reconstruction: ReconstructionOptions = field(default_factory=ReconstructionOptions)
    marker_filter: FilterOptions | None = field(default_factory=FilterOptions)
    plate_filter: FilterOptions | None = PLATE_FILTER
    contacts: ContactOptions = field(default_factory=ContactOptions)
    assignment: AssignOptions = field(default_factory=AssignOptions)
    by_hand: tuple[ContactChoice, ...] = ()


@dataclass(frozen=True)
class BodySettings:
    """model: name or file of the body model (None: the one that suits the marker set); options: how it is fitted."""

    model: str | None = None
    options: ModelOptions = field(default_factory=ModelOptions)


@dataclass(frozen=True)
class CycleSettings:
    """What repeats: "auto", "events" (foot strike to foot strike), "none", or an angle such as "elbow flexion".

    An angle is averaged over both sides; its minima are the borders.
    """

    by: str = "auto"
    options: CycleOptions = field(default_factory=CycleOptions)


@dataclass(frozen=True)
class AnalysisSettings:
    """Settings of all steps. Defaults are those of the manual.

    load_reading : how window, tables and report tell joint loads; no result depends on it
    """

    preparation: PreparationSettings = field(default_factory=PreparationSettings)
    signals: SignalSettings = field(default_factory=SignalSettings)
    body: BodySettings = field(default_factory=BodySettings)
    consistency: ConsistencyOptions = field(default_factory=ConsistencyOptions)
    angles: AngleOptions = field(default_factory=AngleOptions)
    cycles: CycleSettings = field(default_factory=CycleSettings)
    inverse: InverseOptions = field(default_factory=InverseOptions)
    load_reading: LoadReading = field(default_factory=LoadReading)
