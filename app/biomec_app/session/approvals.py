"""Which extensions may run: files that the user was shown and allowed, byte for byte. Knows no Qt."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from biomec.base.errors import BiomecError
from biomec.base.own_files import make_own_folder, read_own, write_own
from biomec.base.plain_types import made_from, parsed_json

FILE = "extensions.json"


@dataclass(frozen=True)
class Answer:
    """What the user said about a file, when (ISO date), and the text that was shown."""

    allowed: bool
    sha256: str
    day: str
    text: str


@dataclass(frozen=True)
class Candidate:
    """A file that wants to run: the very bytes that will, and what was said about an earlier state of it."""

    path: Path
    content: bytes
    before: Answer | None = None

    @property
    def sha256(self) -> str:
        """Checksum of the bytes."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def text(self) -> str:
        """The bytes as words."""
        return self.content.decode("utf-8", "replace")

    @property
    def story(self) -> str:
        """Why it is asked: new, or changed since when."""
        if self.before is None:
            return "This file is new."
        said = "allowed" if self.before.allowed else "refused"
        return f"This file has changed since you {said} it on {self.before.day}."

    @property
    def shown(self) -> str:
        """The whole text of a new file; the lines that differ of one that has changed."""
        if self.before is None:
            return self.text
        old, new = self.before.text.splitlines(), self.text.splitlines()
        changes = difflib.unified_diff(old, new, f"on {self.before.day}", "now", lineterm="")
        return "\n".join(changes) or "Only ends of lines or characters that cannot be shown have changed."


class Approvals:
    """The user's answers, in a file that nobody else can write."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE

    def candidate(self, path: Path, content: bytes) -> Candidate:
        """A file that wants to run, with what was said about it before."""
        return Candidate(path, content, self._answers().get(str(path)))

    def answer(self, candidate: Candidate) -> bool | None:
        """What the user said about exactly these bytes at this place; None if nothing."""
        said = candidate.before
        return said.allowed if said is not None and said.sha256 == candidate.sha256 else None

    def remember(self, candidate: Candidate, allowed: bool) -> None:
        """Keep an answer; a `BiomecError` if that is impossible."""
        said = Answer(allowed, candidate.sha256, date.today().isoformat(), candidate.text)
        self._write({**self._answers(), str(candidate.path): said})

    def forget_refusals(self) -> None:
        """Ask again about the files that were refused."""
        self._write({path: said for path, said in self._answers().items() if said.allowed})

    def _answers(self) -> dict[str, Answer]:
        """All answers; none if they are missing or damaged, or if somebody else could have written them."""
        try:
            stored = parsed_json(read_own(self._file))
        except (OSError, ValueError, BiomecError):
            return {}
        entries = stored.items() if isinstance(stored, dict) else ()
        found = {}
        for path, entry in entries:
            with suppress(ValueError):  # one of another form is asked for again
                found[path] = made_from(Answer, entry)
        return found

    def _write(self, answers: Mapping[str, Answer]) -> None:
        try:
            make_own_folder(self._file.parent)
            write_own(self._file, json.dumps({path: vars(said) for path, said in answers.items()}, indent=1).encode())
        except OSError as fault:
            raise BiomecError(f"Your answer cannot be kept in {self._file.parent}: {fault.strerror}.") from fault
