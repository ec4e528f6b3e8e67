"""Points: zeros and half samples are missing, and said to be."""

import numpy as np
import pytest

from biomec.io.points import sort_points
from biomec.io.units import metres, plain_unit


def test_zero_triples_are_missing_unless_kept() -> None:
    p = np.ones((4, 3, 3)) * [1.0, 2.0, 3.0]
    p[1:3, 1] = 0.0
    p[:, 2] = 0.0
    p[0, 0] = [0.0, 0.0, 1e-300]  # nearly zero is a place
    found = sort_points(["A", "B", "O"], p, 100.0)
    assert found.markers.visible.tolist() == [
        [True, True, True],
        [True, False, True],
        [True, False, True],
        [True, True, True],
    ]
    always, sometimes = found.notices
    assert (always.code, always.about) == ("zero-in-every-frame", ("O",))
    assert (sometimes.code, sometimes.about, sometimes.frames) == ("zeros-are-missing", ("B",), (1, 2))
    assert "kept, as the origin" in always.sentence
    assert "2 samples of B" in sometimes.sentence
    kept = sort_points(["A", "B", "O"], p, 100.0, zeros_are_missing=False)
    assert kept.markers.visible.all()
    assert kept.notices == ()


@pytest.mark.parametrize("word", [9.999, -9.99999, 99999.0, -1.0])
def test_one_number_three_times_is_a_word_for_lost(word: float) -> None:
    """9999 mm was taken for a place 10 m away: an ankle turned by 205°, and trust fell only to "check"."""
    p = np.random.default_rng(1).uniform(0.2, 1.8, (20, 4, 3))
    true = p.copy()
    p[3, 0] = p[7:9, 2] = word
    found = sort_points(list("ABCD"), p, 100.0)
    lost = np.zeros((20, 4), dtype=bool)
    lost[3, 0] = lost[7:9, 2] = True
    np.testing.assert_array_equal(found.markers.visible, ~lost)
    np.testing.assert_array_equal(found.markers.p_WM[~lost], true[~lost])
    (notice,) = found.notices
    assert (notice.code, notice.about, notice.frames) == ("placeholders-are-missing", ("A", "C"), (3, 8))
    assert "3 samples of A, C have the same number" in notice.sentence
    assert sort_points(list("ABCD"), p, 100.0, zeros_are_missing=False).markers.visible.all()


def test_a_point_whose_coordinates_happen_to_be_equal_stays() -> None:
    p = np.random.default_rng(1).uniform(0.2, 1.8, (20, 4, 3))
    p[5:7, 1] = 0.75  # one marker, among the others
    found = sort_points(list("ABCD"), p, 100.0)
    assert found.markers.visible.all()
    assert found.notices == ()


def test_several_points_cannot_all_be_the_origin() -> None:
    p = np.ones((4, 3, 3))
    p[:, 1:] = 0.0
    found = sort_points(["A", "B", "O"], p, 100.0)
    assert found.markers.visible.all(axis=0).tolist() == [True, False, False]
    (notice,) = found.notices
    assert (notice.code, notice.about) == ("zero-in-every-frame", ("B", "O"))
    assert "B, O lie at exactly (0, 0, 0) in every frame and were read as missing" in notice.sentence
    one_frame = sort_points(["A", "O"], p[:1, :2], 100.0)  # nothing tells a lost sample from the origin
    assert one_frame.markers.visible.tolist() == [[True, False]]


def test_samples_without_all_coordinates_are_missing_and_said() -> None:
    p = np.ones((2, 1, 3))
    p[1, 0, 2] = np.nan
    found = sort_points(["A"], p, 100.0)
    assert found.markers.visible[:, 0].tolist() == [True, False]
    assert [notice.code for notice in found.notices] == ["coordinates-missing"]


@pytest.mark.parametrize(
    ("unit", "factor"),
    [
        ("m", 1),
        ("mm", 1000),
        ("[mm]", 1000),
        ("cm", 100),
        ("Millimeters", 1000),
        ("inches", 1 / 0.0254),
        ("ft", 1 / 0.3048),
    ],
)
def test_lengths_become_metres(unit: str, factor: float) -> None:
    values, notices = metres(np.array([1.25, np.nan]) * factor, unit)
    np.testing.assert_allclose(values, [1.25, np.nan], rtol=2**-51)  # two roundings
    assert notices == ()


def test_missing_and_doubtful_units_are_said() -> None:
    values, notices = metres(np.array([900.0, 1100.0]), "")
    assert values.tolist() == [0.9, 1.1]
    assert notices[0].code == "unit-assumed"
    values, notices = metres(np.array([0.9, 1.1]), "furlong")
    assert values.tolist() == [0.9, 1.1]
    assert "'furlong'" in notices[0].sentence
    values, notices = metres(np.array([900.0, 1100.0]), "m")
    assert values.tolist() == [900.0, 1100.0]  # the file's word
    assert notices[0].code == "unit-doubtful"
    assert metres(np.zeros((0, 2, 3)), "mm")[0].shape == (0, 2, 3)


def test_micro_is_written_in_three_ways() -> None:
    assert {plain_unit(unit) for unit in ("uV", "µV", "μV", "(microvolts)")} == {"uv"}
