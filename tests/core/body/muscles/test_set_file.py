"""Muscle files of a user: copies that are edited, weakened or added to, published files as they are, and wrong ones."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import DescriptionError
from biomec.body.muscles.fitting import fit_muscles
from biomec.body.muscles.set_file import SETS, load_muscle_set, parse_muscle_set
from biomec_resources import resource
from tests.core.body.loads.performed import performed
from tests.real_data import recording

WEAK = """
[meta]
model = "my legs"
title = "Legs of a patient"
source = "our laboratory"
licence = "ours"
sides = "right"
frames = "gait2392"
region = "leg"

[[include]]
set = "legs"
without = ["per_tert"]

[[muscle]]
name = "popliteus"
group = "popliteus"
fmax = 150.0
lopt = 0.03
lts = 0.08
penn = 0.0
points = [
  { body = "femur_r", xyz = [0.0, -0.4, 0.03] },
  { body = "tibia_r", xyz = [-0.02, -0.09, -0.01] },
]

[[change]]
muscles = ["soleus_l", "*_gas_l"]
fmax_times = 0.4

[[change]]
muscles = ["rect_fem"]
remove = true
"""


def test_a_copy_is_edited_weakened_and_added_to_without_python(tmp_path) -> None:
    file = tmp_path / "my-legs.toml"
    file.write_text(WEAK, encoding="utf-8")
    legs, ours = load_muscle_set("legs"), load_muscle_set(str(file))
    assert set(legs.names) - set(ours.names) == {"per_tert_r", "per_tert_l", "rect_fem_r", "rect_fem_l"}
    assert set(ours.names) - set(legs.names) == {"popliteus_r", "popliteus_l"}
    for name in set(ours.names) & set(legs.names):
        weak = 0.4 if name in ("soleus_l", "med_gas_l", "lat_gas_l") else 1.0
        assert ours[name].fmax == pytest.approx(weak * legs[name].fmax, rel=1e-15)
    assert ours["soleus_r"].source.licence == "CC BY 3.0"
    assert ours["popliteus_l"].source.licence == "ours"
    fitted = fit_muscles(performed("walk").acquisition.model, ours)
    right, left = (fitted.cords.cords[fitted.names.index(f"popliteus_{side}")].points[0].at for side in "rl")
    assert_allclose(left, right * np.array([1.0, 1.0, -1.0]), rtol=0, atol=1e-3)  # the person is not quite symmetric


def test_an_edited_copy_of_a_shipped_file_is_read(tmp_path) -> None:
    text = (resource("muscles", "sets", "gait2392.toml")).read_text("utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(text.replace('name = "soleus_r"', 'name = "soleus_one_r"', 1), encoding="utf-8")
    assert "soleus_one_r" in load_muscle_set(str(file)).names


def test_a_name_of_a_right_set_that_ends_like_a_left_one_is_not_mirrored() -> None:
    """The long head of the biceps of DAS4 is called bic_l."""
    das = load_muscle_set("das4")
    for name in ("bic_l_r", "bic_l_l"):
        assert das[name].points[0].at[2] == pytest.approx(das["bic_b_1_r"].points[0].at[2], abs=0.05)
    for side in "rl":
        assert [one.at[2] for one in das[f"bic_l_{side}"].points] == [one.at[2] for one in das["bic_l_r"].points]


@pytest.mark.parametrize("name", SETS.shipped())
def test_every_shipped_set_loads_and_lies_on_a_person(name: str) -> None:
    muscles = load_muscle_set(name)
    fitted = fit_muscles(performed("walk").acquisition.model, muscles)
    assert all("palm" in why for why in fitted.left_out.values())
    assert len(fitted.names) + len(fitted.left_out) == len(muscles.muscles)
    assert np.isfinite(fitted.rho).all()
    assert all(source.licence and source.file for source in muscles.sources)


@pytest.mark.parametrize(
    ("name", "carried", "missing"),
    [
        ("lower_gait2392", 92, set()),
        ("lower_rajagopal2016", 80, set()),
        ("upper_tsm", 62, {"pro_sup"}),
        ("upper_arm26", 12, set()),
        ("upper_das4", 292, {"proxph", "firstmc"}),
    ],
)
def test_published_files_are_read_as_they_are(name: str, carried: int, missing: set[str]) -> None:
    fitted = fit_muscles(
        performed("walk").acquisition.model, load_muscle_set(str(recording("muscles") / f"{name}.toml"))
    )
    assert len(fitted.names) == carried
    assert all(any(name in why for name in missing) for why in fitted.left_out.values())


WRONG = (
    ('{ body = "tibia_r"', '{ body = "tibbia_r"', 'Muscle popliteus: there is no body "tibbia_r"; did you mean'),
    ("lopt = 0.03", "lopt = -0.03", "lopt is -0.03, and it must be more than zero"),
    ("fmax = 150.0", 'fmax = "strong"', "fmax"),
    ("xyz = [0.0, -0.4, 0.03]", "xyz = [0.0, -0.4]", "xyz"),
    ("penn = 0.0", "penn = 2.0", "a pennation lies between 0 and a right angle"),
    ('muscles = ["rect_fem"]', 'muscles = ["rectus"]', 'there is no muscle "rectus"'),
    ('set = "legs"', 'set = "leggs"', 'there is no muscle set "leggs"'),
    ('name = "popliteus"', 'name = "soleus"', "several muscles called soleus_l, soleus_r"),
    ("  { body = \"tibia_r\", xyz = [-0.02, -0.09, -0.01] },\n", "", "a path needs at least two points"),
    ("tibia_r\", xyz = [-0.02, -0.09, -0.01]", "femur_r\", xyz = [0.0, -0.4, 0.03]", "it has no length"),
    ('sides = "right"', 'sides = "top"', 'sides must be "both", "right" or "left"'),
)  # fmt: skip
SURFACE = """
[[wrap]]
name = "ball"
type = "torus"
body = "femur_r"
translation = [0.0, -0.4, 0.0]
inner_radius = 0.03
outer_radius = 0.02
"""


@pytest.mark.parametrize(("right", "wrong", "words"), WRONG)
def test_wrong_files_get_a_sentence(right: str, wrong: str, words: str) -> None:
    assert right in WEAK
    with pytest.raises(DescriptionError) as error:
        parse_muscle_set(WEAK.replace(right, wrong, 1), "my-legs.toml")
    assert words in str(error.value)
    assert "my-legs.toml" in str(error.value)


def test_a_ring_inside_out_and_a_surface_without_size_get_a_sentence() -> None:
    with pytest.raises(DescriptionError, match=r"inside out: its inner radius 0\.03 m is not below"):
        parse_muscle_set(WEAK + SURFACE, "my-legs.toml")
    ball = SURFACE.replace("torus", "sphere").replace("inner_radius = 0.03\nouter_radius = 0.02", "radius = 0.0")
    with pytest.raises(DescriptionError, match="radius is 0, and it must be more than zero"):
        parse_muscle_set(WEAK + ball, "my-legs.toml")


def test_landmarks_at_one_place_are_refused() -> None:
    """A bone cannot be bent between two landmarks that coincide."""
    place = """
[[map]]
model = "mine"
source_body = "blade"
segment = "* scapula"
R = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
o = [0.0, 0.0, 0.0]
landmarks = { TE = [0.0, 0.0, -0.1], AI = [0.0, 0.0, -0.1] }
"""
    head = '[meta]\nmodel = "mine"\ntitle = "Mine"\nsource = "me"\nlicence = "mine"\nsides = "right"\n'
    muscle = """
[[muscle]]
name = "part"
fmax = 100.0
lopt = 0.1
lts = 0.02
points = [ { body = "blade", xyz = [0.0, 0.0, 0.0] }, { body = "blade", xyz = [0.0, 0.0, 0.1] } ]
"""
    with pytest.raises(DescriptionError, match="landmark AI lies at the same place as TE"):
        parse_muscle_set(head + place + muscle, "mine.toml")
