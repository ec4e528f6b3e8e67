"""The virtual person stands as an adult stands, and as the model's hinges need it."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomec.base.errors import BiomecError
from biomec.virtual.person import MIRROR, VirtualPerson

# [Dumas2007]: stature and lengths of the reference bodies [m]
REFERENCE = {
    "male": (1.77, {"GU PME": 0.271, "CAQ KJC": 0.432, "KJC PMM": 0.433, "CALC PMT": 0.183, "CIAS": 0.224}),
    "female": (1.61, {"GU PME": 0.243, "CAQ KJC": 0.379, "KJC PMM": 0.388, "CALC PMT": 0.165, "CIAS": 0.238}),
}
PEOPLE = st.builds(
    VirtualPerson,
    mass_kg=st.floats(45.0, 120.0),
    height_m=st.floats(1.40, 2.05),
    sex=st.sampled_from(["male", "female"]),
)


def test_every_placed_marker_has_its_place() -> None:
    person = VirtualPerson()
    assert len(person.markers) == 87
    assert set(person.markers) == set(person.full_set.placed)


@given(PEOPLE)
def test_left_is_the_mirror_image_of_right(person: VirtualPerson) -> None:
    for right, left in person.full_set.pairs:
        if right in person.markers:
            np.testing.assert_array_equal(person.markers[left], MIRROR * person.markers[right])
    for name in ("C7", "IJ", "PX", "T8", "PMCP", "VC", "GLAB"):
        assert person.markers[name][2] == 0.0


@given(PEOPLE)
def test_hinges_pass_through_their_landmarks(person: VirtualPerson) -> None:
    """Condyles normal to the thigh, epicondyles normal to the humerus, so that they move with both segments."""
    p = person.landmarks
    # products of lengths below 0.5 m: round-off is below 1e-16
    assert abs((p["CLAT_D"] - p["CMED_D"]) @ (p["CAQ_D"] - p["KJC_D"])) < 1e-15
    assert abs((p["EL_D"] - p["EM_D"]) @ (p["GU_D"] - p["PME_D"])) < 1e-15
    np.testing.assert_allclose(0.5 * (p["CLAT_D"] + p["CMED_D"]), p["KJC_D"], rtol=0, atol=1e-15)
    np.testing.assert_allclose(0.5 * (p["ER_D"] + p["EU_D"]), p["CAP_D"], rtol=0, atol=1e-15)


@pytest.mark.parametrize("sex", ["male", "female"])
def test_segments_have_about_the_published_lengths(sex: str) -> None:
    height, lengths = REFERENCE[sex]
    p = dict(VirtualPerson(70.0, height, sex).landmarks)
    p["PMT_D"] = 0.5 * (p["MT1_D"] + p["MT5_D"])
    assert p["VC"][1] == pytest.approx(height)
    for ends, length in lengths.items():
        first, _, second = ends.partition(" ")
        here = np.linalg.norm(p[f"{first}_D"] - p[f"{second}_D" if second else f"{first}_E"])
        assert here == pytest.approx(length, rel=0.05), ends  # one person, not the mean of 31 or 46


@given(PEOPLE)
def test_a_standing_adult_is_put_together_as_adults_are(person: VirtualPerson) -> None:
    p = person.markers
    height = {name: p[name][1] for name in p}
    order = ["VC", "C7", "T8", "PMCP", "CLCX_D_11", "CLAT_D", "CLPN_D_11", "MM_D", "MT5_D"]
    assert all(height[a] > height[b] for a, b in itertools.pairwise(order))
    assert min(height.values()) > 0.0
    assert p["CIAS_D"][0] > p["PMCP"][0]
    assert p["GLAB"][0] > p["VC"][0] - 0.05
    assert 0.04 < np.linalg.norm(person.landmarks["GU_D"] - p["AC_D"]) < 0.08


def test_women_have_a_wider_pelvis_for_their_stature() -> None:
    man, woman = (VirtualPerson(70.0, 1.70, sex).markers for sex in ("male", "female"))
    assert woman["CIAS_D"][2] > man["CIAS_D"][2]
    assert woman["AC_D"][2] < man["AC_D"][2]


@pytest.mark.parametrize(
    ("arguments", "word"), [((300.0,), "mass"), ((70.0, 17.7), "height"), ((70.0, 1.7, "x"), "sex")]
)
def test_an_absurd_person_is_refused(arguments: tuple[float, ...], word: str) -> None:
    with pytest.raises(BiomecError, match=word):
        VirtualPerson(*arguments)  # type: ignore[arg-type]
