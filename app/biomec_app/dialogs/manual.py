"""The pages of the manual as the program shows them: found, in order, made plain, and searched. Knows no Qt.

The pages are the Markdown files of the folder docs. An installed program has them among its resources; one that runs
from its source takes them from there. Nothing needs to be built.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path

from biomec.base.errors import BiomecError
from biomec_app.kit.formula_text import formula_text
from biomec_resources import resource

FIRST = "window.md"
CONTENTS: Mapping[str, tuple[str, ...]] = {
    "Using Biomec": ("window.md", "demo.md", "analyse-a-recording.md", "plates-and-events.md",
                     "workbench.md", "machine-files.md", "glossary.md"),
    "What is computed": (
        "from-file-to-signals.md", "signals.md", "consistency.md", "joint-angles.md", "inertia-and-ellipsoids.md",
        "models.md", "marker-sets.md", "formats.md", "validation.md", "references.md",
    ),
}  # fmt: skip
OTHERS = "For those who program"
AROUND = 60  # letters before and after what was found


@dataclass(frozen=True)
class Page:
    """A page of the manual: its file, its title, and its text as plain Markdown."""

    name: str
    title: str
    text: str


@dataclass(frozen=True)
class Hit:
    """A page that has what was sought, how often, and the words around the first place."""

    page: str
    count: int
    around: str


def manual_folder() -> Traversable:
    """Folder of the pages."""
    try:
        return resource("manual")
    except FileNotFoundError:
        folder = Path(__file__).resolve().parents[3] / "docs"
        if not (folder / FIRST).is_file():
            raise BiomecError("The manual is not part of this installation. Install Biomec again.") from None
        return folder


@cache
def pages() -> Mapping[str, Page]:
    """All pages by the name of their file, in the order of the contents."""
    folder = manual_folder()
    texts = {file.name: file.read_text("utf-8") for file in folder.iterdir() if file.name.endswith(".md")}
    theory = folder / "theory"
    if theory.is_dir():
        texts |= {f"theory/{f.name}": f.read_text("utf-8") for f in theory.iterdir() if f.name.endswith(".md")}
    texts.pop("index.md", None)
    titles = {name: _title(text, name) for name, text in texts.items()}
    listed = [name for names in CONTENTS.values() for name in names if name in texts]
    names = [*listed, *sorted(set(texts) - set(listed), key=lambda name: (titles[name].lower(), name))]
    return {name: Page(name, titles[name], plain(texts[name], name, titles)) for name in names}


def contents() -> Mapping[str, tuple[str, ...]]:
    """Heading -> pages under it; every page stands under one."""
    there = pages()
    found = {heading: tuple(name for name in names if name in there) for heading, names in CONTENTS.items()}
    listed = {name for names in found.values() for name in names}
    return {**found, OTHERS: tuple(name for name in there if name not in listed)}


def picture(name: str) -> bytes | None:
    """Picture of a page, by its path from the folder of the manual; None if there is none."""
    found = manual_folder()
    for part in name.split("/"):
        found = found / part
    return found.read_bytes() if found.is_file() else None


def search(words: str) -> tuple[Hit, ...]:
    """Pages that have all the words, those that have them in their title first, the shortest title before longer ones,
    then those that have them most.
    """
    wanted = words.lower().split()
    found = []
    for page in pages().values():
        text = re.sub(r"[*`#|\[\]]|\([^)\s]*\.(md|png)[^)]*\)", "", page.text)
        low = text.lower()
        if wanted and all(word in low for word in wanted):
            place = low.index(wanted[0])
            around = " ".join(text[max(0, place - AROUND) : place + AROUND].split())
            titled = all(word in page.title.lower() for word in wanted)
            rank = (not titled, len(page.title) if titled else 0)
            found.append((*rank, -sum(low.count(word) for word in wanted), Hit(page.name, 0, f"… {around} …")))
    found.sort(key=lambda one: one[:3])
    return tuple(Hit(hit.page, -count, hit.around) for *_, count, hit in found)


# ----------------------------------------------------------------------------------------------------- plain Markdown
def plain(text: str, name: str, titles: Mapping[str, str]) -> str:
    """Markdown that any reader of it understands: links have words, formulas are text, directives are gone."""
    parts = re.split(r"(^```.*?^```[^\n]*$)", text, flags=re.DOTALL | re.MULTILINE)
    made = []
    for part in parts:
        if part.startswith("```{"):
            continue
        made.append(part if part.startswith("```") else _plain_words(part, name, titles))
    return "".join(made)


def _plain_words(text: str, name: str, titles: Mapping[str, str]) -> str:
    text = re.sub(r"^\([^)\n]+\)=\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)", lambda found: _picture_line(found, name), text)
    text = re.sub(r"\$\$(.+?)\$\$", lambda found: f"\n> {formula_text(found[1])}\n", text, flags=re.DOTALL)
    text = re.sub(r"(?<![\\$`])\$([^$`]+?)\$", lambda found: formula_text(found[1]), text)

    def link(found: re.Match[str]) -> str:
        words, target, anchor = found[1], found[2], found[3] or ""
        page = _from(name, target)
        return f"[{words or titles.get(page, target)}]({page}{anchor})"

    return re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([\w./-]+\.md)(#[^)\s]*)?\)", link, text)


def _picture_line(found: re.Match[str], name: str) -> str:
    """A picture with its words in one line."""
    return f"![{' '.join(found[1].split())}]({_from(name, found[2])})"


def _from(name: str, target: str) -> str:
    """Path from the folder of the manual of what a page calls ``target``."""
    parts = [*name.split("/")[:-1], *target.split("/")]
    while ".." in parts:
        place = parts.index("..")
        parts = parts[: max(place - 1, 0)] + parts[place + 1 :]
    return "/".join(parts)


def _title(text: str, name: str) -> str:
    found = re.search(r"^# (.+)$", text, flags=re.MULTILINE)
    return found[1].strip() if found else name
