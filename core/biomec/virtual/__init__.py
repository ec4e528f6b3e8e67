"""A virtual person who moves, and the laboratory that records it: acquisitions of which everything is known.

from biomec.virtual import VirtualPerson, push_up, record, write_acquisition

acquisition = record(push_up("closed"), VirtualPerson(75.0, 1.77, "male"))
write_acquisition(acquisition, "demo", ["emt"], truth=True)
"""

from biomec.virtual.acquisition import DEMO, RecordOptions, Truth, VirtualAcquisition, model_of, record
from biomec.virtual.arm_elevations import ArmElevation, arm_elevation
from biomec.virtual.assisted_walking import AssistedWalk, assisted_walk
from biomec.virtual.files import write_acquisition, write_truth
from biomec.virtual.movement import Movement
from biomec.virtual.person import VirtualPerson
from biomec.virtual.push_ups import PushUp, push_up
from biomec.virtual.squats import Squat, squat
from biomec.virtual.walking import Walk, walk
from biomec.virtual.wearing import Worn, worn

__all__ = ["DEMO", "ArmElevation", "AssistedWalk", "Movement", "PushUp", "RecordOptions", "Squat", "Truth",
           "VirtualAcquisition", "VirtualPerson", "Walk", "Worn", "arm_elevation", "assisted_walk", "model_of",
           "push_up", "record", "squat", "walk", "worn", "write_acquisition", "write_truth"]  # fmt: skip
