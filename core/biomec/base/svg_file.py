"""Drawings in SVG files from others: they may show nothing of other files, and must not multiply without end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

MOST_ELEMENTS = 20_000  # that are drawn, each as often as it is referred to; a logo has some hundreds
DEEPEST = 200  # elements or references, one within the other
_EMBEDDED = re.compile(r"\s*data:image/(png|jpe?g)[;,]", re.IGNORECASE)
_URL = re.compile(r"url\(\s*['\"]?\s*([^)'\"]*)", re.IGNORECASE)
_IMPORT = re.compile(r"@import", re.IGNORECASE)


class _Refused(Exception):
    """Says what is wrong with a drawing."""


def svg_fault(content: bytes) -> str:
    """What is wrong with the content of an SVG file, to follow "The drawing"; "" if it may be drawn."""
    try:
        root = ElementTree.fromstring(content)
        named: dict[str, ElementTree.Element] = {}
        for element in root.iter():
            named.setdefault(element.get("id", ""), element)
        _drawn(root, named, {}, 0)
    except ElementTree.ParseError:
        return "is damaged"
    except (RecursionError, _Refused) as error:
        return str(error) if isinstance(error, _Refused) else "is nested too deeply"
    return ""


def _drawn(
    element: ElementTree.Element, named: dict[str, ElementTree.Element], known: dict[int, int], depth: int
) -> int:
    """How many elements are drawn with this one."""
    if depth > DEEPEST:
        raise _Refused("is nested too deeply")
    if id(element) not in known:
        parts = [*element, *(named[name] for name in _references(element) if name in named)]
        known[id(element)] = 1 + sum(_drawn(part, named, known, depth + 1) for part in parts)
        if known[id(element)] > MOST_ELEMENTS:
            raise _Refused(f"has more than {MOST_ELEMENTS} elements")
    return known[id(element)]


def _references(element: ElementTree.Element) -> Iterator[str]:
    """Names of the elements that one refers to. Refuses references to other files."""
    link = isinstance(element.tag, str) and element.tag.rpartition("}")[2] == "a"  # nothing is drawn of where it leads
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == "href" and not link:
            yield from _reference(value)
        for target in _URL.findall(value):
            yield from _reference(target)
    for target in _URL.findall(element.text or ""):
        yield from _reference(target)
    if _IMPORT.search(element.text or ""):
        raise _Refused("refers to another file")


def _reference(target: str) -> Iterator[str]:
    if target.strip().startswith("#"):
        yield target.strip()[1:].strip()
    elif target.strip() and not _EMBEDDED.match(target):
        raise _Refused("refers to another file")
