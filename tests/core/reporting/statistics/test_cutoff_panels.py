"""Cut-offs by region: the six panels of the source, every marker once."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.io.marker_set_file import load_marker_set, shipped_marker_sets
from biomec.recording.marker_set import Side
from biomec.reporting.statistics.cutoff_panels import ARM, LEG, PANELS, TRUNK, WRISTS, cutoff_panels, region

FULL = load_marker_set("biomec-full")


@pytest.mark.parametrize(
    ("name", "panel"),
    [
        ("VC", TRUNK), ("AuxC_D", TRUNK), ("C7", TRUNK), ("IJ", TRUNK), ("PMCP", TRUNK),
        ("EU_D", WRISTS), ("ER_E", WRISTS), ("MC2_D", WRISTS),
        ("AC_D", ARM[Side.RIGHT]), ("EL_E", ARM[Side.LEFT]), ("CLBR_D_11", ARM[Side.RIGHT]),
        ("CLAB_E_22", ARM[Side.LEFT]), ("EC_D", ARM[Side.RIGHT]),
        ("CIAS_D", LEG[Side.RIGHT]), ("CLAT_E", LEG[Side.LEFT]), ("MT1_D", LEG[Side.RIGHT]),
        ("no marker of the set", TRUNK),
    ],
)  # fmt: skip
def test_a_marker_stands_in_the_panel_of_its_region(name, panel):
    assert region(FULL, name) == panel


@pytest.mark.parametrize("name", shipped_marker_sets())
def test_every_marker_of_every_set_is_in_one_panel_with_its_own_cut_off(name):
    names = load_marker_set(name).names
    cutoffs = np.arange(3.0 * len(names)).reshape(-1, 3)
    panels = cutoff_panels(load_marker_set(name), names, cutoffs)
    assert [panel.title for panel in panels] == list(PANELS)
    found = {marker: tuple(row) for panel in panels for marker, row in zip(panel.names, panel.cutoff_hz, strict=True)}
    assert found == {marker: tuple(cutoffs[k]) for k, marker in enumerate(names)}


def test_only_head_trunk_and_pelvis_of_plug_in_gait_are_in_the_first_panel():
    gait = load_marker_set("plug-in-gait")
    first = {name for name in gait.names if region(gait, name) == TRUNK}
    assert {gait[name].segments[0] for name in first} <= {"head", "thorax", "torso", "pelvis", "lumbar spine"}
    assert region(gait, "LHLX") == LEG[Side.LEFT]
    assert region(gait, "RSHO") == ARM[Side.RIGHT]


def test_cut_offs_of_another_number_of_markers_are_refused():
    with pytest.raises(BiomecError, match="shape"):
        cutoff_panels(FULL, ("C7", "T8"), np.ones((3, 3)))
