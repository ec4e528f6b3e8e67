"""Report definitions: what a file may say, and what a slip in it costs."""

import pytest

from biomec.base.errors import BiomecError
from biomec.reporting.clinical.definition import (
    DEFINITIONS,
    KINDS,
    ReportDefinition,
    checked_logo,
    parse_definition,
    read_definition,
)
from biomec.reporting.clinical.pages import PAGES

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def test_the_definition_that_comes_with_biomec_is_the_usual_report():
    assert read_definition() == ReportDefinition()
    assert DEFINITIONS.shipped() == ("clinical",)
    assert tuple(PAGES) == KINDS


def test_a_laboratory_says_what_its_report_is(tmp_path):
    (tmp_path / "logo.png").write_bytes(PNG)
    path = tmp_path / "ours.toml"
    path.write_text(
        '[report]\ntitle = "Gait"\nlaboratory = "Gait Laboratory"\nlogo = "logo.png"\npaper = "Letter"\n'
        'colours = "red and green"\nnorm = "none"\nband_sd = 2\ndeviation_strips = true\n'
        '[[page]]\nkind = "quality"\n[[page]]\nkind = "kinematics"\ntitle = "Angles"\nnine_curves = true\n',
        "utf-8",
    )
    made = read_definition(str(path))
    assert (made.title, made.laboratory, made.logo) == ("Gait", "Gait Laboratory", tmp_path / "logo.png")
    assert (made.paper, made.colours, made.norm, made.band_sd) == ("Letter", "red and green", "none", 2.0)
    assert made.deviation_strips
    assert [(one.kind, one.title, one.nine_curves) for one in made.pages] == [
        ("quality", "", False),
        ("kinematics", "Angles", True),
    ]
    assert made.notices == ()


def test_an_unknown_page_is_left_out_with_a_sentence_and_the_rest_is_made():
    text = '[[page]]\nkind = "kinematic"\n[[page]]\nkind = "quality"\n'
    made = parse_definition(text, "ours.toml")
    assert [one.kind for one in made.pages] == ["quality"]
    assert made.notices[0].startswith('ours.toml: there is no page "kinematic"; did you mean "kinematics"?')
    alone = parse_definition('[[page]]\nkind = "song"\n', "ours.toml")
    assert alone.pages == ReportDefinition().pages
    assert "no page that is known" in alone.notices[1]


def test_a_laboratory_states_what_change_it_can_detect():
    text = '[detectable_change]\n"Gait Profile Score" = 1.1\n"knee flexion, peak in swing" = 4\n"Gait Profile" = 2\n'
    made = parse_definition(text, "ours.toml")
    assert made.detectable_change == {"Gait Profile Score": 1.1, "knee flexion, peak in swing": 4.0}
    assert 'no value "Gait Profile" is compared; did you mean "Gait Profile Score"?' in made.notices[0]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("logo.png", b"This is a text.", "not a picture"),
        ("gone.png", None, "was not found"),
        ("a.svg", b'<svg><image href="/home/a/b.png"/></svg>', "refers to another file"),
    ],
)
def test_a_logo_that_is_no_picture_costs_itself_alone(tmp_path, name, content, words):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    path = tmp_path / "ours.toml"
    path.write_text(f'[report]\nlogo = "{name}"\n[[page]]\nkind = "quality"\n', "utf-8")
    made = read_definition(str(path))
    assert made.logo is None
    assert words in made.notices[0]
    assert "made without it" in made.notices[0]
    assert checked_logo(str(tmp_path))[0] is None  # a folder


@pytest.mark.parametrize("name", ["../logo.png", "/logo.png", "C:logo.png", "//server/logo.png", "below/logo.png"])
def test_a_logo_of_another_folder_is_not_read(tmp_path, name):
    (tmp_path / "logo.png").write_bytes(PNG)
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "logo.png").write_bytes(PNG)
    made = parse_definition(f'[report]\nlogo = "{name}"\n', "ours.toml", tmp_path / "below")
    assert made.logo is None
    assert "must lie beside the file" in made.notices[0]
    assert checked_logo(str(tmp_path / "logo.png"))[0] == tmp_path / "logo.png"  # the user may choose any


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[report]\npaper = "A3"\n', "Choose one of A4, Letter"),
        ('[report]\ncolour = "grey"\n', 'did you mean "colours"'),
        ('[report]\nband_sd = 0\n', "more than 0 and at most 3"),
        ('[report]\ndeviation_strips = "yes"\n', "must be true or false"),
        ('[[page]]\ntitle = "A"\n', "kind is missing"),
        ('[detectable_change]\n"Gait Profile Score" = -1\n', "must be more than 0"),
        ('[pages]\n', 'there is no key "pages"'),
        ("[report\n", "ours.toml"),
    ],
)  # fmt: skip
def test_other_slips_are_refused_by_a_sentence(text, words):
    with pytest.raises(BiomecError, match=words.replace(".", r"\.")):
        parse_definition(text, "ours.toml")
