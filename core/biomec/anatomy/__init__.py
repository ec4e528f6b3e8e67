"""A person as a multibody system: landmarks, joint centres, frames, inertia, scapulothoracic contact, models."""

from biomec.anatomy.centres import CENTRE_METHODS, methods_for
from biomec.anatomy.ellipsoids import EllipsoidOptions
from biomec.anatomy.functional_model import FunctionalJoint, functional_joint
from biomec.anatomy.inertia import InertiaOptions
from biomec.anatomy.model import BodyModel
from biomec.anatomy.model_file import load_model, read_model, shipped_models
from biomec.anatomy.subject_model import ModelOptions, SubjectModel, build_subject_model

__all__ = [
    "CENTRE_METHODS",
    "BodyModel",
    "EllipsoidOptions",
    "FunctionalJoint",
    "InertiaOptions",
    "ModelOptions",
    "SubjectModel",
    "build_subject_model",
    "functional_joint",
    "load_model",
    "methods_for",
    "read_model",
    "shipped_models",
]
