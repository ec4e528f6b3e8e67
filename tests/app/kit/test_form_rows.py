"""Rows of a form: every kind of field shows a value in its unit, gives it back, and refuses what it cannot take."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import pytest
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QVBoxLayout, QWidget

from biomec.base.errors import BiomecError
from biomec.base.fields import DEGREES, MM, Kind, group, setting
from biomec.base.frozen import FrozenDict
from biomec_app.kit.forms.form import Form
from biomec_app.kit.forms.rows import FILE, ROWS, row_for

CUTOFFS = {None: "not filtered", 6.0: "6 Hz"}


class Grip(Enum):
    """Of the hands."""

    OPEN = "open"
    CLOSED = "closed"


@dataclass(frozen=True)
class Filter:
    """A group that can be off."""

    order: int = setting(2, "Order", least=1, most=8)
    cutoff_hz: float = setting(6.0, "Cut-off", unit="Hz", least=0.1, most=50.0)

    def __post_init__(self) -> None:
        if self.order % 2:
            raise BiomecError(f"Order: {self.order} is odd; a filter that runs both ways has an even order.")


@dataclass(frozen=True)
class Options:
    """A field of every kind."""

    gap_s: float | None = setting(0.2, "Gap", "Longer gaps stay open.", unit="s", least=0.0, most=5.0, nothing="any")
    radius_m: float = setting(0.1, "Radius", unit="mm", factor=MM, least=0.0)
    bend_rad: float = setting(0.0, "Bend", unit="°", factor=DEGREES)
    tolerance: float | None = setting(1e-10, "Tolerance", typed=True, nothing="automatic")
    most: int = setting(20, "Iterations", unit="times", least=1, most=500)
    seed: int = setting(7, "Seed", typed=True)
    smooth: bool = setting(False, "Smooth")
    grip: Grip = setting(Grip.OPEN, "Grip")
    model: str = setting("m21", "Model", choices={"m17": "17 segments", "m21": ("21 segments", "Long")}, files=True)
    note: str = setting("", "Note")
    left_out: tuple[str, ...] = setting((), "Left out")
    cutoffs: Mapping[str, float] = setting(
        factory=FrozenDict, label="Cut-offs", each=lambda: {"hand": ("Hand", CUTOFFS), "foot": ("Foot", CUTOFFS)}
    )
    weights: Mapping[str, float] = setting(factory=FrozenDict, label="Weights")
    centre: tuple[float, float, float] | None = setting(None, "Centre", unit="mm", factor=MM)
    axes: object = setting(None, "Axes", shown=True)
    filter: Filter | None = setting(Filter(), "Filter", "Of markers.")


OPTIONS = group(Options())


def row(qtbot, name: str, **more):
    made = row_for(OPTIONS[name], name, **more)
    qtbot.addWidget(made.widget)
    made.set(made.entry.default)
    return made


def type_into(qtbot, line, text: str) -> None:
    line.clear()
    qtbot.keyClicks(line, text)


def test_every_kind_is_tried_here_and_has_a_row():
    assert {part.kind for part in OPTIONS.parts} == set(Kind)
    assert set(ROWS) | {Kind.CHOICE, Kind.GROUP} == set(Kind)


VALUES = {
    "gap_s": (None, 0.0, 0.123456789012345), "radius_m": (0.05, 1e-9), "bend_rad": (1.0, -0.3),
    "tolerance": (None, 1e-300),
    "most": (1, 500), "seed": (0, 2**40), "smooth": (True, False), "grip": (Grip.CLOSED, Grip.OPEN),
    "model": ("m17", "m21", "/lab/mine.toml"), "note": ("of Tuesday", ""), "left_out": (("C7", "right heel"), ()),
    "cutoffs": (FrozenDict({"hand": 6.0}), FrozenDict({"other": 9.0})), "weights": (FrozenDict({"* hand": 2.0}),),
    "centre": ((0.1, -0.02, 0.0), None), "axes": ({"pelvis": 1}, None),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_a_value_that_nobody_touched_comes_back_as_it_was_and_unnoticed(qtbot, name):
    one = row(qtbot, name)
    edits = []
    one.edited.connect(lambda: edits.append(name))
    assert one.value() == one.entry.default
    assert not one.differs
    for value in VALUES[name]:
        one.set(value)
        assert one.value() == value
        assert type(one.value()) is type(value)
        assert one.differs == (value != one.entry.default)
    assert edits == []
    assert one.widget.accessibleName() == one.entry.setting.label
    assert one.widget.objectName() == name


@pytest.mark.parametrize("name", [name for name in VALUES if name not in ("axes", "gap_s")])
def test_what_the_widget_shows_is_read_as_the_same_value(qtbot, name):
    """Read anew from the widget, as after an edit elsewhere in the same field."""
    one = row(qtbot, name)
    for value in VALUES[name]:
        one.set(value)
        one.touched()
        read = one.value()
        assert read == (pytest.approx(value, rel=1e-12) if isinstance(value, float) else value)
        assert type(read) is type(value)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [("gap_s", 0.25, "0.25 s"), ("gap_s", None, "any"), ("radius_m", 0.05, "50 mm"),
     ("bend_rad", 1.5707963267948966, "90°"), ("most", 30, "30 times"), ("tolerance", 1e-12, "1e-12"),
     ("tolerance", None, ""), ("centre", (0.1, 0.0, -0.02), "100 0 -20")],
)  # fmt: skip
def test_a_number_is_shown_in_its_unit(qtbot, name, value, text):
    one = row(qtbot, name)
    one.set(value)
    assert one.widget.text() == text


def test_lines_to_type_in_say_what_belongs_there(qtbot):
    assert row(qtbot, "centre").widget.placeholderText() == "X Y Z in mm"
    assert row(qtbot, "tolerance").widget.placeholderText() == "automatic"
    assert row(qtbot, "left_out").widget.placeholderText() == "none"
    assert row(qtbot, "weights").widget.placeholderText() == "name = number"


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [("gap_s", "1.5", 1.5), ("gap_s", "0,75", 0.75), ("radius_m", "80", 0.08), ("radius_m", "2e2", 0.2),
     ("tolerance", "1e-6", 1e-6), ("tolerance", "0,5", 0.5), ("tolerance", "", None), ("most", "40", 40),
     ("seed", "1e3", 1000), ("note", "a note", "a note"), ("left_out", " C7 ,, IJ", ("C7", "IJ")),
     ("centre", "1; 2; 3,5", (0.001, 0.002, 0.0035)), ("weights", "C7 = 2", {"C7": 2.0})],
)  # fmt: skip
def test_what_is_typed_is_taken_in_si_units_and_told(qtbot, name, typed, value):
    one = row(qtbot, name)
    edits = []
    one.edited.connect(lambda: edits.append(name))
    type_into(qtbot, one.widget, typed)
    if hasattr(one.widget, "interpretText"):
        one.widget.interpretText()
    assert one.value() == (pytest.approx(value) if isinstance(value, float | tuple) and name != "left_out" else value)
    assert edits
    assert one.differs


@pytest.mark.parametrize(
    ("name", "text", "state"),
    [("gap_s", "5", "Acceptable"), ("gap_s", "6", "Intermediate"), ("gap_s", "-1", "Intermediate"),
     ("gap_s", "1e", "Intermediate"), ("gap_s", "soon", "Invalid"), ("radius_m", "-0.1", "Intermediate"),
     ("bend_rad", "-400", "Acceptable"),
     ("most", "500", "Acceptable"), ("most", "501", "Invalid"), ("most", "2.5", "Invalid")],
)  # fmt: skip
def test_a_number_beyond_its_range_is_not_accepted(qtbot, name, text, state):
    box = row(qtbot, name).widget
    found, _, _ = box.validate(text + box.suffix(), 0)
    assert found is QValidator.State[state]


def test_a_number_beyond_its_range_is_drawn_back_into_it(qtbot):
    one = row(qtbot, "gap_s")
    one.widget.setValue(9.0)
    assert one.value() == 5.0
    one.widget.setValue(-1.0)  # the lower end stands for None
    assert one.value() is None
    whole = row(qtbot, "most")
    whole.widget.setValue(0)
    assert whole.value() == 1


@pytest.mark.parametrize(
    ("name", "typed", "sentence"),
    [("tolerance", "small", 'Tolerance: "small" is not a number; type one such as 1e-10.'),
     ("seed", "", "Seed: nothing is not a number"), ("seed", "2.5", "Seed: 2.5 is"),
     ("centre", "1 2", 'Centre: "1 2" is not three numbers X Y Z.'), ("centre", "1 2 z", "is not three numbers"),
     ("weights", "C7 2", 'Weights, line 1: "C7 2" is not of the form name = number.'),
     ("weights", "C7 = 1 2", "Weights: C7 has more than one number.")],
)  # fmt: skip
def test_what_cannot_be_read_is_a_sentence_and_counts_as_changed(qtbot, name, typed, sentence):
    one = row(qtbot, name)
    type_into(qtbot, one.widget, typed)
    with pytest.raises(BiomecError) as error:
        one.value()
    assert sentence in str(error.value)
    assert one.differs


def test_steps_of_a_number_are_round(qtbot):
    one = row(qtbot, "radius_m")
    one.widget.setValue(123.4)
    one.widget.stepBy(1)
    assert one.widget.value() == pytest.approx(130.0)
    assert one.value() == pytest.approx(0.13)


def test_a_choice_offers_its_labels_with_what_they_mean_and_takes_a_file(qtbot):
    asked, files = [], [Path("/lab/mine.toml"), None]
    one = row(qtbot, "model", ask_file=lambda title: asked.append(title) or files.pop(0))
    combo = one.widget
    assert [combo.itemText(k) for k in range(2)] == ["17 segments", "21 segments"]
    assert combo.itemText(combo.count() - 1) == FILE
    combo.setCurrentIndex(0)
    assert one.value() == "m17"
    for _ in range(2):  # a file, and then nothing: the file stays
        combo.setCurrentIndex(combo.count() - 1)
        combo.activated.emit(combo.count() - 1)
        assert one.value() == "/lab/mine.toml"
        assert combo.currentText() == "mine.toml"
    assert asked == ["Model"] * 2


def test_other_choices_keep_what_is_chosen_or_begin_with_the_first(qtbot):
    one = row(qtbot, "model")
    choices = one.choices
    one.offer(choices[1:])
    assert one.value() == "m21"
    one.offer(choices[:1])
    assert one.value() == "m17"


def test_a_choice_for_every_name_is_chosen_by_its_own_box(qtbot):
    one = row(qtbot, "cutoffs")
    foot = one.combos["foot"]
    foot.setCurrentIndex(1)
    foot.activated.emit(1)
    assert one.value() == {"foot": 6.0}
    assert foot.accessibleName() == "Cut-offs: Foot"


def test_what_is_only_shown_can_be_taken_away(qtbot):
    one = row(qtbot, "axes")
    assert one.label.text() == "none"
    one.set({"pelvis": 1, "thigh": 2})
    assert one.label.text() == "pelvis, thigh"
    one.remove.click()
    assert one.value() is None
    assert one.remove.isHidden()


# ---------------------------------------------------------------------------------------------------------- whole form
@pytest.fixture
def page(qtbot):
    made = QWidget()
    qtbot.addWidget(made)
    return made


@pytest.fixture
def form(page):
    made = Form(OPTIONS, "test-{}", parent=page)
    made.wide(QVBoxLayout(page))
    return made


def test_a_form_gives_back_the_options_that_it_shows(form):
    options = Options(gap_s=None, grip=Grip.CLOSED, weights=FrozenDict({"C7": 2.0}), filter=None)
    form.show(options)
    assert form.entered(options) is options
    assert form.entered() == options
    assert not form.groups[("filter",)].isChecked()
    assert form.labels[("grip",)].font().bold()
    assert not form.labels[("most",)].font().bold()


def test_options_that_do_not_go_together_are_refused_with_their_sentence(form):
    form.show(Options())
    form.rows[("filter", "order")].widget.setValue(3)
    with pytest.raises(BiomecError, match="Order: 3 is odd"):
        form.entered()
    assert form.entered(keep=[("filter",)]) == Options()


def test_a_narrow_form_has_a_button_back_to_the_default(page):
    form = Form(OPTIONS, "test-{}", skip=[("note",)], parent=page)
    form.narrow(QVBoxLayout(page))
    assert ("note",) not in form.rows
    row, back = form.rows[("radius_m",)], form.resets[("radius_m",)]
    assert back.isHidden()
    assert row.widget.toolTip() == "Radius. at least 0 mm."
    row.widget.setValue(70.0)
    assert not back.isHidden()
    assert back.toolTip() == "Back to 100 mm"
    back.click()
    assert form.entered() == Options()
    assert back.isHidden()
