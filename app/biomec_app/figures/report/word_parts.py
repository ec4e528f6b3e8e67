"""Parts of a Word document that its library does not offer: fields, thin lines, frames, repeated rows."""

from __future__ import annotations

from typing import Any

from biomec.base.plain_text import one_line


def plain(words: str) -> str:
    """Words that XML can hold, on one line."""
    return one_line(words)


def last_paragraph(place: Any, own: bool) -> Any:
    """The paragraph of a header or footer to write to: the first of ours, a new one behind those of a template."""
    place.is_linked_to_previous = False
    return place.paragraphs[0] if own or not place.paragraphs[0].runs else place.add_paragraph()


def fill_cell(cell: Any, words: str, points: float, bold: bool = False) -> None:
    """Write words into a cell, in letters of that many points."""
    from docx.shared import Pt

    paragraph = cell.paragraphs[0]
    paragraph.paragraph_format.space_after = Pt(1)
    run = paragraph.add_run(plain(words))
    run.font.size, run.bold = Pt(points), bold


def add_field(paragraph: Any, code: str, size: Any) -> None:
    """A field that the word processor counts, such as PAGE."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    for kind, text in (("begin", ""), ("", code), ("separate", ""), ("shown", "1"), ("end", "")):
        run = paragraph.add_run()
        run.font.size = size
        if kind in ("begin", "separate", "end"):
            mark = OxmlElement("w:fldChar")
            mark.set(qn("w:fldCharType"), kind)
            run._r.append(mark)
        elif kind == "shown":
            run.text = text
        else:
            instruction = OxmlElement("w:instrText")
            instruction.set(qn("xml:space"), "preserve")
            instruction.text = f" {text} "
            run._r.append(instruction)


def framed(style: Any) -> None:
    """A thin frame around paragraphs of a style that follow each other."""
    from docx.oxml import OxmlElement

    borders = OxmlElement("w:pBdr")
    for place in ("top", "left", "bottom", "right"):
        borders.append(border(place, space="4"))
    before = style.element.get_or_add_pPr()
    before.insert_element_before(
        borders, *(f"w:{one}" for one in ("shd", "tabs", "spacing", "ind", "jc", "outlineLvl"))
    )


def border(place: str, space: str = "0") -> Any:
    """A thin grey line at a place: top, left, bottom, right, insideH."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    line = OxmlElement(f"w:{place}")
    for key, value in (("val", "single"), ("sz", "4"), ("space", space), ("color", "C9CED5")):
        line.set(qn(f"w:{key}"), value)
    return line


def hair_lines(table: Any) -> None:
    """Thin grey lines below the rows and none between columns, whatever styles a template has."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    borders = OxmlElement("w:tblBorders")
    for place in ("top", "bottom", "insideH"):
        borders.append(border(place))
    properties = table._tbl.tblPr
    layout = properties.find(qn("w:tblLayout"))
    look = properties.find(qn("w:tblLook"))
    place = layout if layout is not None else look
    if place is not None:
        place.addprevious(borders)
    else:
        properties.append(borders)


def repeated(row: Any) -> None:
    """Show a row again at the head of every page."""
    from docx.oxml import OxmlElement

    row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))


def plain_font(style: Any) -> None:
    """Take the fonts of the theme away, which win over the name of a font."""
    from docx.oxml.ns import qn

    fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
    for kind in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
        fonts.attrib.pop(qn(f"w:{kind}"), None)
