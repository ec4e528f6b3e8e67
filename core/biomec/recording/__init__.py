"""What was measured: trials with markers, plates, analog channels and events. Knows nothing of files or models."""

from biomec.recording.axes import BIOMEC_AXES, Authority, LabAxes
from biomec.recording.clinical_notes import ClinicalNotes, ExcludedCycle
from biomec.recording.label_map import LabelMap
from biomec.recording.marker_set import MarkerSet
from biomec.recording.plate import LOADED_N, ForcePlate
from biomec.recording.series import Analog, Markers, Outputs
from biomec.recording.session import EmgAlignment, Json, Original, Record, Result, Session, Storable, frozen_json
from biomec.recording.step import stored_markers, stored_notices, stored_plates
from biomec.recording.trial import Event, Source, Subject, Trial

__all__ = [
    "BIOMEC_AXES",
    "LOADED_N",
    "Analog",
    "Authority",
    "ClinicalNotes",
    "EmgAlignment",
    "Event",
    "ExcludedCycle",
    "ForcePlate",
    "Json",
    "LabAxes",
    "LabelMap",
    "MarkerSet",
    "Markers",
    "Original",
    "Outputs",
    "Record",
    "Result",
    "Session",
    "Source",
    "Storable",
    "Subject",
    "Trial",
    "frozen_json",
    "stored_markers",
    "stored_notices",
    "stored_plates",
]
