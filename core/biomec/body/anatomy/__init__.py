"""A person as a multibody system: landmarks, joint centres, frames, inertia, scapulothoracic contact, models."""

from biomec.body.anatomy.centres import CENTRE_METHODS, methods_for
from biomec.body.anatomy.ellipsoids import EllipsoidOptions
from biomec.body.anatomy.functional_model import FunctionalJoint, functional_joint
from biomec.body.anatomy.inertia import InertiaOptions
from biomec.body.anatomy.model import BodyModel
from biomec.body.anatomy.model_file import load_model, read_model, shipped_models
from biomec.body.anatomy.subject_model import ModelOptions, SubjectModel, build_subject_model

__all__ = ["CENTRE_METHODS", "BodyModel", "EllipsoidOptions", "FunctionalJoint", "InertiaOptions", "ModelOptions",
           "SubjectModel", "build_subject_model", "functional_joint", "load_model", "methods_for", "read_model",
           "shipped_models"]  # fmt: skip
