"""Clean signals with their quality: reconstruction, filtering, derivatives, cycles, events, EMG, contacts.

The steps that a script needs stand here; `docs/from-file-to-signals.md` puts them in order. Some modules bear the name
of their step (`static_pose`): as attributes of this package such names are the functions, while
`from biomec.signals.static_pose import …` reaches the module as ever.
"""

from biomec.signals.body_mass import MassEstimate, WeighingOptions, mass_from_plates
from biomec.signals.contact_detection import ContactOptions, DetectedContacts, detect_contacts
from biomec.signals.contact_table import ContactTable, contact_table
from biomec.signals.contacts import AssignOptions, ContactAssignment, assign_contacts
from biomec.signals.cycle_average import CycleCurves, resample_cycles
from biomec.signals.cycles import CycleOptions, Cycles, cycles_between_events, find_cycles
from biomec.signals.derivatives import Scheme, derivative
from biomec.signals.emg import EmgOptions, EmgResult, process_emg
from biomec.signals.event_editing import edited
from biomec.signals.filtering import (
    PLATE_FILTER,
    CutoffChoice,
    FilteredMarkers,
    FilteredPlates,
    FilterOptions,
    ManualCutoff,
    filter_markers,
    filter_plates,
)
from biomec.signals.filters import high_pass, low_pass
from biomec.signals.gait_events import GaitEventOptions, GaitEvents, gait_events
from biomec.signals.gait_parameters import GaitParameters, gait_parameters
from biomec.signals.kinematic_events import GaitMarkers, KinematicEventOptions, gait_markers
from biomec.signals.label_swaps import SwapOptions, SwapReport, find_swaps, swap_labels
from biomec.signals.mapping import apply_mapping, suggest_mapping
from biomec.signals.plate_quality import PlateQuality, PlateQualityOptions, check_plates
from biomec.signals.reconstruction import (
    Reconstruction,
    ReconstructionOptions,
    SampleOrigin,
    reconstruct,
    seen_by_the_others,
)
from biomec.signals.static_pose import StaticPose, StaticPoseOptions, static_pose
from biomec.signals.trajectory_checks import (
    TrajectoryCheckOptions,
    TrajectoryChecks,
    check_accelerations,
    check_trajectories,
)

__all__ = ["PLATE_FILTER", "AssignOptions", "ContactAssignment", "ContactOptions", "ContactTable", "CutoffChoice",
           "CycleCurves", "CycleOptions", "Cycles", "DetectedContacts", "EmgOptions", "EmgResult", "FilterOptions",
           "FilteredMarkers", "FilteredPlates", "GaitEventOptions", "GaitEvents", "GaitMarkers", "GaitParameters",
           "KinematicEventOptions", "ManualCutoff", "MassEstimate", "PlateQuality", "PlateQualityOptions",
           "Reconstruction", "ReconstructionOptions", "SampleOrigin", "Scheme", "StaticPose", "StaticPoseOptions",
           "SwapOptions", "SwapReport", "TrajectoryCheckOptions", "TrajectoryChecks", "WeighingOptions",
           "apply_mapping", "assign_contacts", "check_accelerations", "check_plates", "check_trajectories",
           "contact_table", "cycles_between_events",
           "derivative", "detect_contacts", "edited", "filter_markers", "filter_plates", "find_cycles", "find_swaps",
           "gait_events", "gait_markers", "gait_parameters", "high_pass", "low_pass", "mass_from_plates",
           "process_emg", "reconstruct", "resample_cycles", "seen_by_the_others", "static_pose", "suggest_mapping",
           "swap_labels"]  # fmt: skip
