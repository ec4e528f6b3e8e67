"""Edit ▸ Norm Data…: listing, choosing, importing with and without a mapping, describing, removing, making."""

import numpy as np
import pytest
from PySide6.QtWidgets import QDialog

from biomec.base.errors import BiomecError
from biomec.reporting.norms.choice import Patient
from biomec.reporting.norms.mapped_csv import read_mapping
from biomec.reporting.norms.norm_file import read_norm_set, shipped_norms
from biomec_app.features.clinical import norm_data
from biomec_app.features.clinical.norm_data import REMOVE, NormDataDialog
from biomec_app.features.clinical.norm_description import Description, described, with_description
from biomec_app.features.clinical.norm_making import MakingDialog, folder_name
from biomec_app.features.clinical.norm_mapping import MappingDialog, guessed
from biomec_app.session.norm_sets import AUTOMATIC, WITHOUT, chosen_norm, known_norms
from tests.app.features.clinical.conftest import Answers
from tests.core.reporting.norms.examples import HIP, KNEE, PERCENT, gcd


@pytest.fixture
def dialog(context, qtbot):
    context.user = Answers(REMOVE)
    made = NormDataDialog(context)
    made.show()
    qtbot.waitUntil(lambda: made.list.topLevelItemCount() > 0)
    yield made
    made.reject()


def titles(dialog):
    return [dialog.list.topLevelItem(k).text(0) for k in range(dialog.list.topLevelItemCount())]


def imported(dialog, qtbot, path):
    before = len(titles(dialog))
    dialog.import_file(path)
    qtbot.waitUntil(lambda: len(titles(dialog)) > before or not dialog.wrong.isHidden())


def test_the_sets_that_come_with_biomec_are_listed_and_cannot_be_removed(dialog):
    assert len(titles(dialog)) == len(shipped_norms())
    for k in range(dialog.list.topLevelItemCount()):
        dialog.list.setCurrentItem(dialog.list.topLevelItem(k))
        assert not dialog.buttons["remove"].isEnabled()
        assert not dialog.buttons["edit"].isEnabled()
        assert dialog.about.toPlainText().startswith(titles(dialog)[k])


def test_only_sets_with_curves_can_stand_behind_curves_and_the_choice_is_remembered(dialog, context):
    data = [dialog.choice.itemData(k) for k in range(dialog.choice.count())]
    assert data == [AUTOMATIC, "adults-fukuchi2018", "children-dixon2017", WITHOUT]
    with_signal = []
    context.norm.changed.connect(lambda: with_signal.append(True))
    dialog.choice.setCurrentIndex(data.index("children-dixon2017"))
    assert context.preferences.norm == "children-dixon2017"
    assert with_signal


def test_a_gcd_is_imported_described_and_removed(dialog, context, qtbot, tmp_path):
    path = tmp_path / "Our Normal.gcd"
    path.write_text(gcd())
    imported(dialog, qtbot, path)
    assert dialog.wrong.isHidden(), dialog.wrong.text()
    [asked] = dialog.findChildren(QDialog, "norm-description")
    asked.form.rows[("youngest",)].set(20.0)
    asked.accept()
    assert "oldest" in asked.wrong.text()  # one age alone says nothing
    asked.form.rows[("oldest",)].set(40.0)
    asked.accept()
    qtbot.waitUntil(lambda: "20–40" in [dialog.list.currentItem().text(k) for k in range(7)])
    folder = context.preferences.norms_folder / dialog.chosen.name
    assert read_norm_set(folder).about.ages == (20.0, 40.0)
    assert dialog.buttons["remove"].isEnabled()
    dialog.remove()
    qtbot.waitUntil(lambda: len(titles(dialog)) == len(shipped_norms()))
    assert not folder.exists()


def test_columns_of_a_table_are_asked_for_once(dialog, context, qtbot, tmp_path):
    path = tmp_path / "lab.csv"
    lines = ["HipFlexion_mean,HipFlexion_SD,Knee", *(f"{hip},4.0,{knee}" for hip, knee in zip(HIP, KNEE, strict=True))]
    path.write_text("\n".join(lines) + "\n")
    dialog.import_file(path)
    qtbot.waitUntil(lambda: bool(dialog.findChildren(MappingDialog)))
    [asked] = dialog.findChildren(MappingDialog)
    first, second = asked.boxes["hip flexion"]
    assert (first.currentText(), second.currentText()) == ("HipFlexion_mean", "HipFlexion_SD")
    asked.boxes["knee flexion"][0].setCurrentText("Knee")
    asked.accept()
    assert "both columns of knee flexion" in asked.wrong.text()
    asked.boxes["knee flexion"][0].setCurrentIndex(0)
    asked.factors["hip flexion"].setText("two")
    asked.accept()
    assert "is not a number" in asked.wrong.text()
    asked.factors["hip flexion"].setText("−1")
    asked.accept()
    qtbot.waitUntil(lambda: len(titles(dialog)) == len(shipped_norms()) + 1)
    norm = read_norm_set(context.preferences.norms_folder / "lab")
    at = np.round(PERCENT).astype(int)
    # the file format keeps eight figures
    np.testing.assert_allclose(norm.curves["hip flexion"].mean[at], -HIP, atol=1e-5)
    kept = read_mapping(context.preferences.norms_folder / "mappings" / "lab.toml")
    assert kept.curves[0].factor == -1.0
    imported(dialog, qtbot, path)  # the second time nobody is asked
    assert len(titles(dialog)) == len(shipped_norms()) + 2
    assert not [one for one in dialog.findChildren(MappingDialog) if one.isVisible()]


def test_what_is_not_a_norm_is_a_sentence(dialog, qtbot, tmp_path):
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG")
    imported(dialog, qtbot, path)
    assert "does not know this format" in dialog.wrong.text()


def test_a_broken_set_of_the_user_does_not_hide_the_others(context, tmp_path):
    folder = tmp_path / "own"
    (folder / "bad").mkdir(parents=True)
    (folder / "bad" / "set.toml").write_text("title = ")
    known = known_norms(folder)
    assert len(known.sets) == len(shipped_norms())
    assert len(known.faults) == 1
    assert "bad/set.toml" in known.faults[0]


def test_a_norm_is_chosen_by_wish_by_age_or_not_at_all(tmp_path):
    known = known_norms(tmp_path / "nothing")
    child = Patient(10.0, 0.47, "Plug-in Gait")
    assert chosen_norm(known, AUTOMATIC, child).norm.name == "children-dixon2017"
    wished = chosen_norm(known, "adults-fukuchi2018", child)
    assert wished.norm.name == "adults-fukuchi2018"
    assert any("10 years old" in notice.sentence for notice in wished.notices)
    assert chosen_norm(known, WITHOUT, child).norm is None
    gone = chosen_norm(known, "deleted", child)
    assert gone.norm.name == "children-dixon2017"
    assert "not there any more" in gone.notices[0].sentence


def test_a_description_is_what_the_set_says_and_goes_back_unchanged():
    from biomec.reporting.norms.norm_file import shipped_norm

    about = shipped_norm("children-dixon2017").about
    assert with_description(about, described(about)) == about
    with pytest.raises(BiomecError, match="title"):
        with_description(about, Description())
    with pytest.raises(BiomecError, match="younger"):
        with_description(about, Description("X", youngest=9.0, oldest=8.0))


def test_columns_are_guessed_by_the_name_of_the_curve():
    columns = ("Knee Flexion (mean)", "knee_flexion SD", "Hip")
    assert guessed(columns, "knee flexion", ("mean",)) == "Knee Flexion (mean)"
    assert guessed(columns, "knee flexion", ("std", "sd")) == "knee_flexion SD"
    assert guessed(columns, "hip flexion", ("mean",)) == ""


def test_making_asks_for_a_title_and_five_people(context, qtbot, tmp_path):
    dialog = MakingDialog(str(tmp_path))
    dialog.accept()
    assert "title" in dialog.wrong.text()
    dialog.title.setText("Ours")
    dialog.add([tmp_path / f"{k}.c3d" for k in range(4)] * 2)
    assert len(dialog.recordings) == 4
    dialog.accept()
    assert "5 people" in dialog.wrong.text()
    assert dialog.result() != QDialog.DialogCode.Accepted


def test_a_norm_of_recordings_is_made_in_the_background_and_kept(dialog, context, qtbot, monkeypatch, tmp_path):
    from dataclasses import replace

    from biomec.reporting.norms.norm_file import shipped_norm

    children = shipped_norm("children-dixon2017")
    asked = []

    def made(name, title, recordings, source, progress):
        asked.append((name, title, source))
        return replace(children, name=name, about=replace(children.about, title=title))

    monkeypatch.setattr(norm_data, "made_norm", made)
    dialog.make_from("Our Laboratory", [tmp_path], "own")
    qtbot.waitUntil(lambda: "Our Laboratory" in titles(dialog))
    assert asked == [(folder_name("Our Laboratory"), "Our Laboratory", "own")]
    assert (context.preferences.norms_folder / "our-laboratory" / "set.toml").is_file()
