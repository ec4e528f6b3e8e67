"""Files in and out: readers and writers of every format a laboratory has."""

from biomec.io.label_map_file import read_label_map, write_label_map
from biomec.io.marker_set_file import load_marker_set, read_marker_set, shipped_marker_sets
from biomec.io.project import load_project, save_project
from biomec.io.registry import read_trial, write_trial
from biomec.io.session_import import import_session

__all__ = [
    "import_session",
    "load_marker_set",
    "load_project",
    "read_label_map",
    "read_marker_set",
    "read_trial",
    "save_project",
    "shipped_marker_sets",
    "write_label_map",
    "write_trial",
]
