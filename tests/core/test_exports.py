"""What a script needs is imported from the package of its stage, and every module behind it is still reached."""

import importlib
import pkgutil
import subprocess
import sys

import pytest

import biomec.body.anatomy
import biomec.io
import biomec.pipeline
import biomec.recording
import biomec.signals
import biomec.virtual

STAGES = (biomec.body.anatomy, biomec.io, biomec.pipeline, biomec.recording, biomec.signals, biomec.virtual)


def test_the_whole_chain_is_imported_from_three_places():
    """A researcher's script of 15 steps began with 15 imports from 15 modules."""
    steps = "suggest_mapping apply_mapping find_swaps static_pose reconstruct filter_markers filter_plates derivative"
    steps += " detect_contacts assign_contacts check_plates gait_events mass_from_plates contact_table GaitMarkers"
    steps += " find_cycles cycles_between_events resample_cycles process_emg"
    files = "read_trial write_trial import_session load_marker_set save_project load_project"
    assert set(steps.split()) <= set(biomec.signals.__all__)
    assert set(files.split()) <= set(biomec.io.__all__)
    assert {"MarkerSet", "LabelMap", "Session", "Trial"} <= set(biomec.recording.__all__)


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.__name__)
def test_exported_names_are_things_and_not_modules(stage):
    """A module that is imported later must not take the place of the function of the same name."""
    modules = [f"{stage.__name__}.{found.name}" for found in pkgutil.iter_modules(stage.__path__)]
    for name in modules:
        assert importlib.import_module(name).__name__ == name
    for name in stage.__all__:
        assert type(getattr(stage, name)) is not type(stage), name


@pytest.mark.parametrize("first", ["biomec.signals.static_pose", "biomec.signals.gait_events", "biomec.io.project"])
def test_a_module_may_be_imported_before_its_package(first):
    """In a fresh interpreter, as the order of imports of a script is anybody's."""
    script = f"import {first}; from biomec.signals import static_pose, gait_events; static_pose.__code__"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
