"""Marker sets on one and the same body."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.anatomy.model_file import load_model
from biomec.body.anatomy.subject_model import build_subject_model
from biomec.virtual import RecordOptions, Walk, record
from biomec.virtual.person import MIRROR
from biomec.virtual.wearing import worn
from tests.core.virtual.performances import MAN, WOMAN, model


@pytest.mark.parametrize("person", [MAN, WOMAN], ids=["man", "woman"])
def test_plug_in_gait_markers_give_the_centres_of_the_body_that_wears_them(person) -> None:
    dressed = worn(person, model(person), "plug-in-gait")
    assert dressed.marker_set.lacking(dressed.places, dynamic=False) == ()
    assert dressed.marker_set.lacking(dressed.places, dynamic=True) == ()
    gait = build_subject_model(load_model("plug-in-gait"), dressed.places, dressed.marker_set, dressed.subject)
    assert not gait.left_out
    # widths and sticks were made for the true knee and ankle; what is left comes from the other hip centre
    for centre, tolerance in (("KJC_D", 4e-3), ("PMM_D", 8e-3), ("CAP_D", 2e-3), ("CAQ_D", 40e-3)):
        assert np.linalg.norm(gait.static[centre] - person.landmarks[centre]) < tolerance, centre


def test_both_sides_wear_the_same() -> None:
    places = worn(MAN, model(MAN), "plug-in-gait").places
    for name, place in places.items():
        if name.startswith("R"):
            np.testing.assert_array_equal(places["L" + name[1:]], MIRROR * place)


def test_a_walk_is_recorded_with_either_set() -> None:
    options = RecordOptions(rate_hz=50.0, plate_rate_hz=100.0, static_s=0.2)
    full = record(Walk(strides=1), MAN, options)
    gait = record(Walk(strides=1), MAN, RecordOptions(50.0, 100.0, static_s=0.2, marker_set="plug-in-gait"))
    np.testing.assert_array_equal(full.truth.q, gait.truth.q)
    np.testing.assert_allclose(gait.dynamic.markers["RKNE"], full.dynamic.markers["CLAT_D"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(gait.dynamic.markers["LASI"], full.truth.markers["CIAS_E"], rtol=0, atol=1e-12)
    assert gait.dynamic.subject.measures["leg_length_D"] == pytest.approx(
        np.linalg.norm(MAN.landmarks["CIAS_D"] - MAN.landmarks["MM_D"])
    )


def test_a_set_that_nobody_made_is_refused() -> None:
    with pytest.raises(BiomecError, match="plug-in-gait"):
        worn(MAN, model(MAN), "my-set")
