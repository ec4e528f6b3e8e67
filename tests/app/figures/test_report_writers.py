"""Clinical reports as files: the same words and numbers in each, whatever names hold, written whole or not at all."""

import errno
import gzip
import io
import zipfile
from dataclasses import replace
from html import unescape
from pathlib import Path

import docx
import numpy as np
import openpyxl
import pypdf
import pytest
from PySide6.QtGui import QColor, QImage

from biomec.base.errors import BiomecError, FileError
from biomec.base.plain_text import one_line
from biomec.base.progress import Cancelled
from biomec.reporting.clinical.blocks import Course, Grid, Page
from biomec.reporting.tables import Table
from biomec_app.figures.report.docx import _widths
from biomec_app.figures.report.drawing import picture, svg
from biomec_app.figures.report.options import ReportOptions
from biomec_app.figures.report.writers import WRITERS, write_report, writer_of
from biomec_app.figures.report.xlsx import numeral
from tests.app.figures.report_content import example_report, with_names
from tests.app.figures.report_reading import in_docx, in_html, in_xlsx, pdf_text, rows_not_in_pdf, squeezed, wanted
from tests.core.test_hostile_names import is_formula
from tests.hostile import HOSTILE, Elements

pytestmark = pytest.mark.usefixtures("qapp")
EVERY = " ".join(HOSTILE)
WORDS = ("summary", "measured", "time-distance", "indices", "quality")  # pages that are quickly drawn


def words_only(report, *more: str):
    """A report without its grids, which take long to draw, but some."""
    return replace(report, pages=tuple(one for one in report.pages if one.kind in (*WORDS, *more)))


@pytest.fixture(scope="module")
def files(qapp, tmp_path_factory) -> dict[str, bytes]:
    """Most of the example in every kind of file, by ending."""
    folder, made = tmp_path_factory.mktemp("reports"), {}
    report = words_only(example_report(), "kinematics", "ground-reaction")
    for ending in WRITERS:
        write_report(report, folder / f"report{ending}")
        made[ending] = (folder / f"report{ending}").read_bytes()
    return made


# -------------------------------------------------------------------------------------------------------- same contents


def test_a_pdf_shows_the_same_cells_row_by_row(files) -> None:
    report = words_only(example_report(), "kinematics", "ground-reaction")
    assert rows_not_in_pdf(files[".pdf"], report) == []
    changed = replace(
        example_report().pages[2], blocks=(Table("A", ("Cadence [steps/min]", "118.2 ± 2.1"), (("1.25", "7"),)),)
    )
    assert rows_not_in_pdf(files[".pdf"], replace(report, pages=(changed,))) == [["1.25", "7"]]


@pytest.mark.parametrize("ending", [".html", "interactive.html", ".docx"])
def test_tables_hold_the_cells_of_the_report(files, ending) -> None:
    read = in_docx(files[ending])[1:] if ending == ".docx" else in_html(files[ending])  # first: the highlights
    assert read == wanted(example_report())


def test_the_workbook_shows_the_same_cells_and_holds_numbers(files) -> None:
    report = example_report()
    assert in_xlsx(files[".xlsx"], report) == wanted(report)
    sheet = openpyxl.load_workbook(io.BytesIO(files[".xlsx"]))["TimeDistance"]
    values = {row[0].value: [cell.value for cell in row[1:]] for row in sheet.iter_rows()}
    assert values["Step length [m]"][:6] == [0.52, 0.02, -0.49, 0.03, 0.55, 0.05]


def test_the_workbook_holds_every_cycle_its_mean_and_spread() -> None:
    report = example_report()
    report = replace(report, pages=tuple(one for one in report.pages if one.kind.startswith("kinematics")))
    book = openpyxl.load_workbook(io.BytesIO(writer_of(Path("r.xlsx")).writer()(report, ReportOptions())))
    panel = example_report().page("kinematics").blocks[0].rows[1][0]
    course = panel.courses[0]

    def column(sheet: str, head: str) -> np.ndarray:
        rows = list(book[sheet].values)
        return np.array([row[rows[0].index(head)] for row in rows[1:]], dtype=float)

    name = "hip flexion, Right"
    np.testing.assert_allclose(column("Kinematics mean", f"{name} [°]"), course.mean, rtol=1e-6)  # seven digits
    np.testing.assert_allclose(column("Kinematics SD", f"{name} [°]"), course.sd, rtol=1e-6)
    for k, origin in enumerate(course.origins):
        head = f"{name}, trial {origin.trial + 1}, cycle {origin.number + 1} [°]"
        np.testing.assert_allclose(column("Kinematics cycles", head), course.curves[k], rtol=1e-6)
    np.testing.assert_allclose(column("Kinematics norm", "hip flexion, norm, low [°]"), panel.band.low, rtol=1e-6)
    heads = [cell for cell in next(iter(book["Kinematics cycles"].values)) if cell.startswith("hip flexion")]
    assert len(heads) == len(set(heads)) == 8  # both pages show them; they are written once


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [("−0.49", -0.49, "0.00"), ("5.9 %", 5.9, '0.0" %"'), ("12", 12.0, "0"), ("6.1°", 6.1, '0.0"°"')],
)
def test_numbers_with_units_are_numbers(text, value, shown) -> None:
    made = numeral(text)
    assert made is not None
    assert (made.value, made.format) == (value, shown)


@pytest.mark.parametrize(
    "text", ["–", "", "007", "P-017", "4 May 2017", "70.2 (edge)", "1.2.3", "2026-11-18", "1 ± 2", "+5", "1e5", "١٢"]
)
def test_other_words_stay_words(text) -> None:
    assert numeral(text) is None


def test_free_text_captions_and_reasons_are_in_every_file(files) -> None:
    said = ["The right knee stays bent.", "Trunk and arms", "The trunk was not measured.", "The logo is not an image."]
    said += ["Movement analysis profile", "Mean ± SD over the strides of a side.", "A. Person", "P-017"]
    for ending, content in files.items():
        text = text_of(content)
        assert [one for one in said if squeezed(one) not in squeezed(text)] == [], ending


def text_of(content: bytes) -> str:
    """All text of a file; of a packed one, that of all of its parts."""
    if content.startswith(b"%PDF"):
        return pdf_text(content)
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return unescape(content.decode())
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        names = [name for name in packed.namelist() if name.endswith((".xml", ".rels"))]
        return unescape("\n".join(packed.read(name).decode() for name in names))


def test_pictures_in_word_have_300_dots_an_inch_and_say_what_they_show(files) -> None:
    document = docx.Document(io.BytesIO(files[".docx"]))
    shapes = document.inline_shapes
    assert len(shapes) == 4
    for shape in shapes:
        part = document.part.related_parts[shape._inline.graphic.graphicData.pic.blipFill.blip.embed]
        assert part.image.px_width / (shape.width / 914400) == pytest.approx(300, rel=0.02)  # whole dots
        assert shape._inline.docPr.get("descr")


def test_word_has_sections_fields_and_the_laboratory_as_author(files) -> None:
    document = docx.Document(io.BytesIO(files[".docx"]))
    wide = [one.page_width > one.page_height for one in document.sections]
    assert wide == [False, True, False]
    assert document.core_properties.author == "Gait laboratory"
    assert document.core_properties.title == "Gait report"
    head = "".join(one.text for one in document.sections[0].header.paragraphs)
    assert all(one in head for one in ("Gait laboratory", "A. Person", "P-017", "4 May 2017", "18 November 2026"))
    foot = document.sections[0].footer._element.xml
    assert "NUMPAGES" in foot
    assert "trust: good" in foot


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_paper_is_that_of_the_options(paper, tmp_path) -> None:
    report, options = words_only(example_report()), ReportOptions(paper=paper)
    write_report(report, tmp_path / "r.docx", options)
    section = docx.Document(tmp_path / "r.docx").sections[0]
    assert (section.page_width.mm, section.page_height.mm) == pytest.approx(options.size(False), abs=0.1)
    write_report(report, tmp_path / "r.html", options)
    assert f"size: {paper};" in (tmp_path / "r.html").read_text("utf-8")


def test_paper_that_does_not_exist_is_a_sentence() -> None:
    with pytest.raises(BiomecError, match="choose A4 or Letter"):
        ReportOptions(paper="A17")


@pytest.mark.parametrize("letters", [(3, 5), (10, 400, 12), (300, 300, 3), (2,)])
def test_columns_in_word_fill_the_page_and_the_widest_give_way(letters) -> None:
    widths = _widths(Table("", ("",) * len(letters), (tuple("x" * one for one in letters),)), 180.0)
    assert sum(widths) == pytest.approx(180.0)
    assert sorted(zip(letters, widths, strict=True)) == sorted(
        zip(letters, widths, strict=True), key=lambda one: one[1]
    )
    assert min(widths) >= 3 * 1.75  # room for three letters


# ---------------------------------------------------------------------------------------------------------------- names


def test_a_grid_leaves_room_for_the_table_below_it_and_facts_have_narrow_names(tmp_path) -> None:
    report = replace(example_report(), left_out=(), notices=())
    page = next(one for one in report.pages if one.kind == "emg")
    grid = replace(page.blocks[0], rows=page.blocks[0].rows * 3)
    table = Table("Channels", ("Muscle", "Channel"), tuple((f"Muscle {k}", "R") for k in range(10)))
    heights = []
    for blocks in ((grid,), (grid, table), (grid, replace(table, rows=table.rows * 4))):
        write_report(replace(report, pages=(replace(page, blocks=blocks),)), tmp_path / "one.docx")
        word = docx.Document(tmp_path / "one.docx")
        heights.append(word.inline_shapes[0].height)
    assert heights[1] < 0.85 * heights[0]
    assert heights[2] == heights[0], "a long table needs a sheet of its own anyway"
    assert _widths(Table("", ("", ""), (("Leg length, right and left", "830 mm"),)), 180.0) == pytest.approx(
        [54.0, 126.0]
    )


@pytest.mark.parametrize("ending", [".html", "interactive.html"])
def test_pages_have_the_elements_of_biomec(ending) -> None:
    written = writer_of(Path(f"r{ending}")).writer()

    def elements(name):
        return Elements(written(with_names(words_only(example_report()), name), ReportOptions()).decode()).found

    def kinds(found):
        return [one for one in found if one not in (("td", ["class"]), ("td", []), ("th", ["class"]), ("th", []))]

    assert kinds(elements(EVERY)) == kinds(elements("x"))


def test_a_workbook_has_no_formula_and_keeps_the_words() -> None:
    pages = tuple(
        Page("own", name, (Table("T", (name, "y"), ((name, "−1.5"), (f"x{name}", name))),)) for name in HOSTILE
    )
    report = replace(example_report(), pages=pages, title=HOSTILE[0])
    book = openpyxl.load_workbook(io.BytesIO(writer_of(Path("r.xlsx")).writer()(report, ReportOptions())))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} == {"s", "n"}
    formulas = [cell for cell in cells if cell.data_type == "s" and is_formula(cell.value)]
    assert len(formulas) > 8
    assert [cell.value for cell in formulas if not cell.quotePrefix] == []
    assert {one_line(name) for name in HOSTILE} <= {cell.value for cell in cells}


def test_a_document_keeps_the_words_whatever_they_are() -> None:
    written = writer_of(Path("r.docx")).writer()
    report = replace(with_names(words_only(example_report()), EVERY), highlights=())
    content = written(report, ReportOptions())
    assert in_docx(content) == wanted(report)
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        assert not [name for name in packed.namelist() if "macro" in name.lower() or "vba" in name.lower()]


@pytest.mark.parametrize("ending", sorted(WRITERS))
def test_a_name_of_200_letters_is_written(ending, tmp_path) -> None:
    report = with_names(words_only(example_report()), "W" * 200)
    write_report(report, tmp_path / f"r{ending}")
    assert "W" * 200 in text_of((tmp_path / f"r{ending}").read_bytes())


@pytest.mark.parametrize("ending", sorted(WRITERS))
def test_the_person_is_not_in_the_properties_of_a_file(ending, files) -> None:
    """What a system of records or a search shows of a file: its title and its author."""
    if ending.endswith("html"):
        head = files[ending].decode().partition("</head>")[0]
        assert "Gait report" in head
        assert "A. Person" not in head
        return
    if ending == ".pdf":
        about = pypdf.PdfReader(io.BytesIO(files[ending]))
        assert about.metadata.title == "Gait report, 18 November 2026"
        assert about.metadata.author == "Gait laboratory"
        assert "Person" not in f"{about.metadata}{about.xmp_metadata.stream.get_data().decode()}"
        return
    with zipfile.ZipFile(io.BytesIO(files[ending])) as packed:
        properties = [packed.read(name).decode() for name in packed.namelist() if name.startswith("docProps/")]
        names = packed.namelist()
    assert "Gait report" in "".join(properties)
    assert "A. Person" not in "".join((*properties, *names))


# ------------------------------------------------------------------------------------------------------ what goes wrong


def test_names_of_files_choose_the_writer(tmp_path) -> None:
    assert writer_of(Path("A.Interactive.HTML")).module.endswith("interactive")
    assert writer_of(Path("a.html")).module.endswith("printed")
    with pytest.raises(FileError, match=r"r\.doc: a report cannot be written as this; let the name end with .*\.docx"):
        write_report(example_report(), tmp_path / "r.doc")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", sorted(WRITERS))
def test_cancelling_leaves_what_was_there(ending, tmp_path) -> None:
    path = tmp_path / f"r{ending}"
    path.write_text("old")
    fractions: list[float] = []

    def stop(fraction: float) -> None:
        fractions.append(fraction)
        if fraction > 0.3:
            raise Cancelled("stop")

    with pytest.raises(Cancelled):
        write_report(words_only(example_report()), path, progress=stop)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    assert 0.3 < fractions[-1] < 0.98


@pytest.mark.parametrize("ending", sorted(WRITERS))
def test_progress_rises_to_the_end(ending, tmp_path) -> None:
    fractions: list[float] = []
    write_report(words_only(example_report()), tmp_path / f"r{ending}", progress=fractions.append)
    assert fractions == sorted(fractions)
    assert len(fractions) > 3
    assert fractions[-1] == 1.0


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="it cannot be written to"):
        write_report(words_only(example_report()), tmp_path / "file" / "r.html")
    with pytest.raises(FileError, match="it cannot be written to"):
        write_report(words_only(example_report()), tmp_path / ("n" * 300 + ".html"))


def test_a_full_disk_is_a_sentence_and_the_old_report_stays(tmp_path, monkeypatch) -> None:
    path = tmp_path / "r.xlsx"
    path.write_text("old")

    def full(self, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(FileError, match="No space left on device"):
        write_report(words_only(example_report()), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_logo_is_on_every_page_and_a_file_that_is_none_is_left_out(tmp_path) -> None:
    image = QImage(900, 300, QImage.Format.Format_RGB32)
    image.fill(QColor("#336699"))
    assert image.save(str(tmp_path / "logo.png"))
    (tmp_path / "none.png").write_text("not a picture")
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">{}<rect width="9" height="9"/></svg>'
    (tmp_path / "drawn.svg").write_text(drawing.format(""))
    (tmp_path / "other.svg").write_text(drawing.format(f'<image href="{tmp_path / "logo.png"}" width="9" height="9"/>'))
    (tmp_path / "packed.svg").write_bytes(gzip.compress((tmp_path / "other.svg").read_bytes()))
    names = ("logo.png", "drawn.svg"), ("none.png", "missing.png", "other.svg", "packed.svg")
    for name, there in [(name, known) for known, of_kind in zip((True, False), names, strict=True) for name in of_kind]:
        report = example_report()
        report = replace(report, pages=report.pages[:2], heading=replace(report.heading, logo=tmp_path / name))
        write_report(report, tmp_path / "r.docx")
        header = docx.Document(tmp_path / "r.docx").sections[0].header
        assert bool(header.part.rels) is there
        write_report(report, tmp_path / "r.html")
        shown = (tmp_path / "r.html").read_text("utf-8").count('alt="Logo"')
        assert shown == (len(report.pages) if there else 0)


def test_a_document_of_the_laboratory_is_the_template(tmp_path) -> None:
    own = docx.Document()
    own.add_paragraph("text of the template, which goes")
    own.sections[0].header.paragraphs[0].add_run("House of gait")
    own.styles["Heading 1"].font.name = "Courier New"
    own.save(tmp_path / "house.docx")
    write_report(words_only(example_report()), tmp_path / "r.docx", ReportOptions(template=tmp_path / "house.docx"))
    made = docx.Document(tmp_path / "r.docx")
    heads = [one.text for one in made.sections[0].header.paragraphs]
    assert heads[0] == "House of gait"
    assert "A. Person" in heads[1]
    assert made.styles["Heading 1"].font.name == "Courier New"
    assert not [one for one in made.paragraphs if "which goes" in one.text]
    assert {"Title", "Heading 1", "Free text"} <= {one.style.name for one in made.paragraphs}


@pytest.mark.parametrize("content", [b"not a document", b"", b"PK\x05\x06" + bytes(18)])
def test_a_template_that_is_no_document_is_a_sentence(content, tmp_path) -> None:
    (tmp_path / "house.docx").write_bytes(content)
    with pytest.raises(FileError, match=r"house\.docx: it is not a Word document"):
        write_report(example_report(), tmp_path / "r.docx", ReportOptions(template=tmp_path / "house.docx"))
    with pytest.raises(FileError, match=r"gone\.docx: the template cannot be read \(No such file or directory\)"):
        write_report(example_report(), tmp_path / "r.docx", ReportOptions(template=tmp_path / "gone.docx"))
    assert not (tmp_path / "r.docx").exists()


def house(tmp_path, part: str, old: bytes, new: bytes) -> Path:
    """A template in one part of which a text is exchanged."""
    document = docx.Document()
    document.sections[0].header.paragraphs[0].add_run("House of gait")
    whole, path = io.BytesIO(), tmp_path / "house.docx"
    document.save(whole)
    with zipfile.ZipFile(whole) as packed, zipfile.ZipFile(path, "w") as changed:
        for name in packed.namelist():
            content = packed.read(name)
            assert name != part or old in content
            changed.writestr(name, content.replace(old, new) if name == part else content)
    return path


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("word/document.xml", b"w:document", b"w:paper"),
        ("word/document.xml", b'w:left="', b'w:left="x'),
        ("docProps/core.xml", b"cp:coreProperties", b"cp:other"),
        ("word/_rels/document.xml.rels", b"styles.xml", b"numbering.xml"),
        ("[Content_Types].xml", b"/word/document.xml", b"/word/other.xml"),
    ],
)
def test_a_template_with_a_damaged_part_is_a_sentence(part, old, new, tmp_path) -> None:
    """Templates like these ended in errors of the library that reads them, some only while the report was saved."""
    path = house(tmp_path, part, old, new)
    with pytest.raises(FileError, match=r"house\.docx: it is not a Word document \(\.docx\) that can be a template"):
        write_report(words_only(example_report()), tmp_path / "r.docx", ReportOptions(template=path))
    assert not (tmp_path / "r.docx").exists()


def test_a_template_reads_no_other_file(tmp_path) -> None:
    (tmp_path / "secret.txt").write_text("patient of another")
    outside = f'<!DOCTYPE w:hdr [<!ENTITY s SYSTEM "{(tmp_path / "secret.txt").as_uri()}">]>'.encode()
    path = house(tmp_path, "word/header1.xml", b"House of gait", b"&s;")
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    parts["word/header1.xml"] = parts["word/header1.xml"].replace(b"<w:hdr", outside + b"<w:hdr", 1)
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    write_report(words_only(example_report()), tmp_path / "r.docx", ReportOptions(template=path))
    with zipfile.ZipFile(tmp_path / "r.docx") as packed:
        assert all(b"patient of another" not in packed.read(name) for name in packed.namelist())
        assert b"&s;" in packed.read("word/header1.xml")


# ------------------------------------------------------------------------------------------------------------- pictures


def test_curves_do_not_leave_their_panel_in_a_drawing_of_lines(tmp_path) -> None:
    """Drawings without clip paths let a curve that leaves its panel run over its neighbours."""
    percent = np.linspace(0.0, 100.0, 101)
    block = example_report().page("kinematics").blocks[0]
    panel = block.rows[0][0]
    wild = Course("right", 0, "Right", percent, np.full((1, 101), 500.0), np.full(101, 500.0), np.full(101, np.nan))
    drawing = svg(Grid("", ((replace(panel, courses=(wild,)),),)), 100.0, 60.0, ReportOptions()).decode()
    assert "clipPath" in drawing
    assert 'clip-path="url(#' in drawing


def test_texts_survive_the_thinning_of_a_drawing() -> None:
    words = 'stroke-opacity="1" d="1.23456" <g >\n</g> 0.123456'
    panel = replace(example_report().page("kinematics").blocks[0].rows[0][0], title=words)
    drawing = svg(Grid("", ((panel,),)), 250.0, 60.0, ReportOptions()).decode()
    shown = "stroke-opacity=&quot;1&quot; d=&quot;1.23456&quot; &lt;g &gt; &lt;/g&gt; 0.123456"
    assert shown in drawing


def test_pictures_have_the_size_that_was_asked_for() -> None:
    image = QImage.fromData(picture(example_report().pages[2].blocks[1], 100.0, 30.0, ReportOptions()))
    assert (image.width(), image.height()) == (1181, 354)  # 100 mm and 30 mm at 300 dots an inch
