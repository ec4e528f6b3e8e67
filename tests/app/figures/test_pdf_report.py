"""The clinical report as PDF: sheets, heads and feet, text that can be searched, colours, and what does not fit."""

import io
import re
from dataclasses import replace
from itertools import chain

import numpy as np
import pypdf
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from biomec.base.progress import Cancelled
from biomec.reporting.clinical import definition
from biomec.reporting.clinical.blocks import ClinicalReport, FigureRequest, FreeText, Page, Words
from biomec.reporting.tables import Table
from biomec_app.figures.report.options import PAPERS, ReportOptions
from biomec_app.figures.report.pdf import sheet_images, sheet_kinds, written
from biomec_app.figures.report.sheets import Typesetter
from biomec_app.plots.clinical.look import SIDE_COLOURS, Look
from tests.app.figures.report_content import example_report
from tests.app.figures.report_reading import pdf_text, rows_not_in_pdf, squeezed

pytestmark = pytest.mark.usefixtures("qapp")
MM = 72.0 / 25.4
LARGEST = 1_000_000  # bytes


@pytest.fixture(scope="module")
def content(qapp) -> bytes:
    return written(example_report(), ReportOptions())


def pages_of(content: bytes) -> list[pypdf.PageObject]:
    return list(pypdf.PdfReader(io.BytesIO(content)).pages)


def of_words(*blocks, **changes) -> ClinicalReport:
    made = example_report()
    return replace(made, pages=(Page("quality", "Quality", blocks),), left_out=(), notices=(), **changes)


def test_every_sheet_says_who_what_and_which_page(content) -> None:
    sheets = pages_of(content)
    kinds = sheet_kinds(example_report(), ReportOptions())
    assert len(sheets) == len(kinds)
    assert list(dict.fromkeys(chain(*kinds))) == [page.kind for page in example_report().pages]
    for k, sheet in enumerate(sheets, 1):
        text = squeezed(sheet.extract_text())
        for words in ("Gait laboratory", "A. Person", "P-017", "born 4 May 2017", "measured 18 November 2026",
                      "Biomec 0.1", "Trust in the measurement: good", f"Page {k} of {len(sheets)}"):  # fmt: skip
            assert squeezed(words) in text


def test_the_text_can_be_searched_also_where_letters_would_be_joined(content) -> None:
    """A font that joins f and f writes one sign, and a search for "foot off" finds nothing."""
    text = pdf_text(content)
    assert "footoff" in text
    summary = pages_of(content)[0]
    assert "\t" not in summary.extract_text()
    assert "Trust in the measurement: good" in summary.extract_text()
    assert "foot off" in "".join(sheet.extract_text() for sheet in pages_of(content))
    assert not re.search("[\ufb00-\ufb06]", text)
    for words in ("Pelvis tilt [°]", "Symmetry", "−0.49 ± 0.03", "The toes were not seen.", "wider than usual"):
        assert squeezed(words) in text
    assert rows_not_in_pdf(content, example_report()) == []


@pytest.mark.parametrize("dots", [72.0, 96.0, 1200.0])
def test_five_numbers_in_a_row_are_not_cut(monkeypatch, dots) -> None:
    """The preview said "104 steps/…": letters on a screen are wider than in the file."""
    pencils = []
    made = Typesetter.pencil
    monkeypatch.setattr(Typesetter, "pencil", lambda *given: pencils.append(made(*given)) or pencils[-1])
    numbers = ("0.92 m/s", "104 steps/min", "10.6° / 10.5°", "10.3°", "not judged")
    setter = Typesetter(Look(point=dots / 72.0), 182.0 * MM * dots / 72.0)
    (cards, _) = setter.cards([(one, "Gait Profile Score") for one in numbers])
    canvas = QImage(10, 10, QImage.Format.Format_RGB32)
    painter = QPainter(canvas)
    try:
        cards.draw(painter, QRectF(0.0, 0.0, setter.width, cards.height))
    finally:
        painter.end()
    words = [word for pencil in pencils for word in pencil.words]
    assert {word.text for word in words} >= set(numbers)
    assert all(word.whole for word in words)


def test_a_report_with_every_page_is_less_than_a_megabyte(content) -> None:
    assert 20_000 < len(content) < LARGEST


@pytest.mark.parametrize("paper", PAPERS)
def test_sheets_have_the_size_of_the_paper_and_lie_where_the_page_says_so(paper) -> None:
    report = example_report()
    report = replace(report, pages=(report.pages[0], report.pages[3]))
    sizes = [(float(one.mediabox.width), float(one.mediabox.height))
             for one in pages_of(written(report, ReportOptions(paper=paper)))]  # fmt: skip
    width, height = (one * MM for one in PAPERS[paper])
    assert sizes[0] == pytest.approx((width, height), abs=1.0)
    assert sizes[1] == pytest.approx((height, width), abs=1.0)


def test_grey_is_without_any_colour() -> None:
    report = example_report()
    grey = list(sheet_images(report, ReportOptions(colours="grey"), dots=60.0))
    assert len(grey) == len(sheet_kinds(report, ReportOptions()))
    for image in grey:
        assert saturation(image) <= 24  # letters of our theme are a bluish black
    curves = replace(report, pages=tuple(one for one in report.pages if one.kind == "kinematics"))
    assert max(saturation(image) for image in sheet_images(curves, ReportOptions(), dots=60.0)) > 100


def saturation(image: QImage) -> int:
    """Largest difference between red, green and blue of any point."""
    bits = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)[:, :, :3].astype(int)
    return int((bits.max(axis=2) - bits.min(axis=2)).max())


def test_colours_of_a_definition_are_those_that_can_be_drawn() -> None:
    assert tuple(SIDE_COLOURS) == definition.COLOURS
    assert tuple(PAPERS) == definition.PAPERS
    made = ReportOptions.of(definition.ReportDefinition(paper="Letter", colours="grey", deviation_strips=True))
    assert (made.paper, made.colours, made.strips) == ("Letter", "grey", True)


def test_a_picture_of_one_sheet_is_that_sheet() -> None:
    report = example_report()
    report = replace(report, pages=(report.pages[0], report.pages[3], report.pages[-1]))
    every = list(sheet_images(report, ReportOptions(), dots=40.0))
    (second,) = sheet_images(report, ReportOptions(), dots=40.0, only=1)
    assert len(every) == 3
    assert second == every[1]
    assert second.width() == round(297.0 / 25.4 * 40.0)


def test_pictures_and_pdf_break_into_the_same_sheets() -> None:
    """The preview showed one sheet fewer than it had counted: lines broke elsewhere at another resolution."""
    rng = np.random.default_rng(1)
    words = ("right", "left", "knee", "stance", "of", "a", "flexion", "millimetres", "measured", "12.5", "ill", "WWW")
    for _ in range(6):
        sentences = tuple(" ".join(rng.choice(words, rng.integers(8, 40))) for _ in range(rng.integers(30, 60)))
        report = of_words(Words(sentences, "A"))
        count = len(pages_of(written(report, ReportOptions())))
        assert len(sheet_kinds(report, ReportOptions())) == count
        assert [len(list(sheet_images(report, ReportOptions(), dots))) for dots in (20.0, 80.0)] == [count, count]


# ---------------------------------------------------------------------------------------------------------- long tables


def test_a_table_longer_than_a_sheet_repeats_its_head() -> None:
    rows = tuple((f"Marker {k}", "98 %") for k in range(130))
    sheets = pages_of(written(of_words(Table("Markers", ("Name of marker", "Seen"), rows)), ReportOptions()))
    assert len(sheets) > 1
    for sheet in sheets:
        assert "Nameofmarker" in squeezed(sheet.extract_text())
    assert rows_not_in_pdf(written(of_words(Table("Markers", ("Name of marker", "Seen"), rows)), ReportOptions()),
                           of_words(Table("Markers", ("Name of marker", "Seen"), rows))) == []  # fmt: skip


@pytest.mark.parametrize("word", ["W" * 200, "a" * 64, "<b>bold</b> & $x$ <script>", "Ünïcødé Ωж –−±°"])
def test_long_and_odd_words_stay_whole_and_inside(word) -> None:
    table = Table("T", ("Key", "Value"), ((word, "1.0"), ("short", word)), word)
    report = of_words(table, Words((word,), word), FreeText("findings", word, word))
    report = replace(report, heading=replace(report.heading, who=word), title=word)
    content = written(report, ReportOptions())
    assert rows_not_in_pdf(content, report) == []
    for image in sheet_images(report, ReportOptions(), dots=50.0):
        edge = [image.pixelColor(image.width() - 8, y) for y in range(image.height())]
        assert all(colour == QColor("#FFFFFF") for colour in edge), "words leave the paper"


def test_free_text_keeps_its_lines_and_an_empty_one_leaves_lines_to_write_on() -> None:
    setter = Typesetter(Look(), 480.0)
    empty, full = (setter.free_text(FreeText("findings", "Findings", text, 6)) for text in ("", "one\n\ntwo"))
    assert len(empty) == len(setter.heading("Findings")) + 6
    sheet = pages_of(written(of_words(FreeText("f", "F", "first line\nsecond line")), ReportOptions()))[0]
    assert re.search(r"first line\s*\n\s*second line", sheet.extract_text())
    assert len(full) >= 4


def test_tables_below_a_turned_grid_follow_on_an_upright_sheet_if_they_need_one() -> None:
    report = example_report()
    grid = next(page for page in report.pages if page.kind == "kinematics-cycles")
    rows = tuple((f"Curve {k}", "0.99") for k in range(24))
    with_table = replace(grid, blocks=(*grid.blocks, Table("Repeatability", ("Curve", "CMC"), rows)))
    turned = next(page for page in report.pages if page.kind == "kinetics")
    last = Page("quality", "Quality", (Words(("Nothing speaks against the recordings.",)),))
    report = replace(report, pages=(report.pages[0], with_table, turned, last))
    sheets = pages_of(written(report, ReportOptions()))
    upright = [float(one.mediabox.width) < float(one.mediabox.height) for one in sheets]
    assert sheet_kinds(report, ReportOptions())[1:4] == (
        ("kinematics-cycles",), ("kinetics",), ("kinematics-cycles", "quality")
    )  # fmt: skip
    assert upright[:4] == [True, False, False, True]
    text = squeezed(sheets[3].extract_text())
    for words in ("Kinematics, every cycle", "Repeatability", "Curve 23", "Quality"):
        assert squeezed(words) in text


def test_narrow_tables_stand_beside_each_other_and_keep_all_their_cells() -> None:
    left = Table("Markers", ("Name", "rms"), tuple((f"M{k}", f"{k}.1") for k in range(9)), "Millimetres.")
    right = Table("Landmarks that moved most to obey the model", ("Name", "rms"), (("CAT_D", "7.7"),))
    setter = Typesetter(Look(), 480.0)
    (beside,) = setter.tables([left, right], 700.0)
    assert beside.height < 1.2 * sum(piece.height for piece in setter.table(left))
    assert len(setter.tables([left, right], 100.0)) > 2, "on a low sheet they stay apart, and can be parted"
    wide = Table("", ("Name", "What"), (("A", "word " * 20),))
    assert len(setter.tables([left, wide], 700.0)) == len(setter.table(left)) + len(setter.table(wide))
    report = of_words(left, right)
    assert rows_not_in_pdf(written(report, ReportOptions()), report) == []


def test_heads_of_numbers_are_broken_before_the_words_of_a_row() -> None:
    setter = Typesetter(Look(), 480.0)
    heads = ("", *(f"Right: CMC between recordings {k}" for k in range(6)))
    table = Table("", heads, (("Hip extensor moment [N·m/kg]", *["0.994"] * 6),))
    columns = setter._columns(table, 8.0)
    assert columns[0] > setter.pencil(8.0).width("Hip extensor moment [N·m/kg]")
    assert sum(columns) <= 480.0 + 1e-6


def test_columns_are_as_wide_as_the_sheet_at_most() -> None:
    setter = Typesetter(Look(), 480.0)
    for table in (
        Table("a", ("x", "y"), (("1", "2"),)),
        Table("b", tuple("abcdefgh"), (tuple("word " * 9 for _ in range(8)),)),
        Table("c", ("", ""), (("Name", "word " * 80),)),
        Table("d", ("", "", ""), (("W" * 300, "W" * 300, "1"),)),
    ):
        columns = setter._columns(table, 8.0)
        assert sum(columns) <= 480.0 + 1e-6
        assert min(columns) > 8.0
        image = QImage(500, 700, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        for piece in setter.table(table):
            piece.draw(painter, QRectF(0, 0, 480, piece.height))
        painter.end()


def test_a_picture_that_cannot_be_drawn_costs_itself() -> None:
    text = pdf_text(written(of_words(FigureRequest("angles", "Angles", 4), Words(("After it.",))), ReportOptions()))
    assert squeezed("The picture 'Angles' is of trial 5") in text
    assert squeezed("After it.") in text


def test_an_empty_report_says_so_on_one_sheet() -> None:
    made = replace(example_report(), pages=())
    sheets = pages_of(written(made, ReportOptions()))
    assert len(sheets) == 1
    assert squeezed("The trunk was not measured.") in squeezed(sheets[0].extract_text())


def test_writing_can_be_cancelled() -> None:
    def stop(fraction: float) -> None:
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        written(example_report(), ReportOptions(), stop)
