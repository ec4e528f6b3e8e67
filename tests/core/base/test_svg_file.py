"""Drawings from others: nothing of other files, nothing without end."""

import pytest

from biomec.base.svg_file import svg_fault

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="20" height="20">'


def doubled(times: int, tag: str = "g", refers: str = '<use xlink:href="#g{}"/>') -> str:
    """Groups of which each shows the one before it twice."""
    parts = [f'<{tag} id="g{k}">{2 * refers.format(k - 1)}</{tag}>' for k in range(1, times)]
    return f'<defs><{tag} id="g0"><rect/></{tag}>{"".join(parts)}</defs>{refers.format(times - 1)}'


@pytest.mark.parametrize(
    "inside",
    [
        "<rect/><text>A &amp; B</text>",
        '<defs><linearGradient id="a"/></defs><rect fill="url(#a)"/><use xlink:href="#a"/>',
        '<a xlink:href="https://laboratory.example"><rect/></a>',
        '<image xlink:href="data:image/png;base64,iVBORw0KGgo="/>',
        doubled(5),
        "<g/>" * 5000,
    ],
)
def test_logos_may_be_drawn(inside):
    assert svg_fault(f"{HEAD}{inside}</svg>".encode()) == ""


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ('<image xlink:href="/home/a/other.png"/>', "another file"),
        ('<image href="file:///home/a/other.png"/>', "another file"),
        ('<image href="//server/other.png"/>', "another file"),
        ('<use xlink:href="other.svg#a"/>', "another file"),
        ('<image href="data:image/svg+xml;base64,PHN2Zz4="/>', "another file"),
        ('<rect fill="url(other.svg#a)"/>', "another file"),
        ("<rect style=\"fill: url( 'other.svg#a' )\"/>", "another file"),
        ("<style>@import 'other.css';</style>", "another file"),
        (doubled(27), "more than 20000 elements"),
        (doubled(27, "mask", '<rect mask="url(#g{})"/>'), "more than 20000 elements"),
        ('<g id="a"><use href="#a"/></g>', "nested too deeply"),
        ("<g>" * 3000 + "</g>" * 3000, "nested too deeply"),
        ("<g>", "damaged"),
    ],
)
def test_what_reaches_out_or_never_ends_is_refused(inside, said):
    assert said in svg_fault(f"{HEAD}{inside}</svg>".encode())


def test_names_that_multiply_are_refused():
    names = "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 12))
    text = f'<!DOCTYPE svg [<!ENTITY a0 "aaaaaaaaaa">{names}]>{HEAD}<text>&a11;</text></svg>'
    assert svg_fault(text.encode()) == "is damaged"
