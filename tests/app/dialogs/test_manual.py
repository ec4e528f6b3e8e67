"""The manual that the program shows: every page is there, links lead somewhere, and it can be searched."""

import re

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from biomec.base.errors import BiomecError
from biomec_app.dialogs import manual
from biomec_app.dialogs.manual_window import ManualWindow
from biomec_app.kit.formula_text import formula_text


@pytest.fixture
def window(qtbot, context):
    made = ManualWindow(context)
    qtbot.addWidget(made)
    made.show()
    return made


def test_every_page_is_in_the_contents_once():
    listed = [name for names in manual.contents().values() for name in names]
    assert sorted(listed) == sorted(manual.pages())
    assert listed[0] == "window.md"
    assert "theory/multibody.md" in listed
    for names in manual.CONTENTS.values():
        assert set(names) <= set(manual.pages())  # a page that is renamed must not drop out


def test_no_two_pages_have_one_title():
    titles = [page.title for page in manual.pages().values()]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("name", list(manual.pages()))
def test_links_and_pictures_of_a_page_are_there_and_nothing_is_left_of_the_directives(name):
    text = re.sub(r"```.*?```", "", manual.pages()[name].text, flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+\.md)", text):
        assert target in manual.pages(), target
    for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text):
        assert manual.picture(target), target
    assert "[](" not in text
    assert "$" not in text
    assert "{toctree}" not in text
    assert not re.search(r"^\(.*\)=$", text, flags=re.MULTILINE)


def test_formulas_read_as_text():
    assert formula_text(r"1/\sqrt2") == "1/√2"
    assert formula_text(r"\dot x_i = \frac{x_{i+1}-x_{i-1}}{2h}") == "ẋᵢ = (xᵢ₊₁−xᵢ₋₁)/(2h)"
    assert formula_text(r"\Phi(q, t) = 0") == "Φ(q, t) = 0"
    assert formula_text(r"\lVert\Phi\rVert < 10^{-10}") == "‖Φ‖ < 10⁻¹⁰"
    assert formula_text(r"\sigma_i\sqrt{\chi^2_{3,1-\alpha}}") == "σᵢ√(χ²_(3,1−α))"


def test_search_finds_pages_that_have_all_words_the_titled_first():
    assert manual.search("joint angles")[0].page == "joint-angles.md"
    assert manual.search("Plug-in Gait static")
    assert manual.search("no-such-word-anywhere") == ()
    assert manual.search("") == ()


def test_pages_are_walked_by_links_back_and_forward(window, monkeypatch):
    assert window.page.name == "window.md"
    assert not window.back.isEnabled()
    window.follow(QUrl("formats.md"))
    window.follow(QUrl("joint-angles.md"))
    assert "Joint angles" in window.windowTitle()
    window.go_back()
    assert window.page.name == "formats.md"
    window.go_back()
    assert window.page.name == "window.md"
    window.go_forward()
    assert window.page.name == "formats.md"
    window.follow(QUrl("references.md#Nunes2017"))
    assert window.page.textCursor().block().text().lstrip("[").startswith("Nunes2017")
    opened, sentences = [], []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    window.context.user.tell = window.context.user.fail = lambda title, sentence: sentences.append(sentence)
    window.follow(QUrl("https://example.org/page"))
    assert opened == ["https://example.org/page"]
    assert "https://example.org/page" in sentences[0]


def test_searching_lists_pages_and_shows_the_place(qtbot, window):
    window.search.setText("recovery")
    item = window.tree.topLevelItem(0)
    window.tree.setCurrentItem(item)
    assert "recover" in window.page.textCursor().selectedText().lower()
    window.search.setText("no-such-word-anywhere")
    assert window.tree.topLevelItem(0).text(0) == "No page has these words."
    window.search.clear()
    assert window.tree.topLevelItem(0).text(0) == "Using Biomec"


def test_pictures_come_in_the_background(qtbot, window):
    qtbot.waitUntil(lambda: bool(window.page._pictures), timeout=10_000)
    qtbot.waitUntil(lambda: not window.page._jobs.busy and not window.page._wanted, timeout=20_000)
    image = window.page._pictures["pictures/window.png"]
    assert image.pixelColor(image.width() // 2, image.height() // 2).alpha() == 255


def test_an_installation_without_the_manual_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(manual, "__file__", str(tmp_path / "a" / "b" / "manual.py"))
    with pytest.raises(BiomecError, match="Install Biomec again"):
        manual.manual_folder()
