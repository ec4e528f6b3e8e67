"""What lies in a study folder besides trials that count, as blocks: doubts, and every other file. No Qt."""

from __future__ import annotations

from collections import Counter

from biomec.reporting.clinical.blocks import Block, Words
from biomec.reporting.tables import Table
from biomec.study.discovery import BROKEN, CHANNELS, FOREIGN, STATIC
from biomec.study.study import Study
from biomec.study.trials import DUPLICATE, SUPERSEDED, State

MOST = 400  # files that are listed
ORDER = (BROKEN, DUPLICATE, SUPERSEDED, FOREIGN, CHANNELS, STATIC)
MEANINGS = {
    BROKEN: "damaged, or of a kind that is not known: it cannot be used",
    DUPLICATE: "the same content as another recording; it counts once",
    SUPERSEDED: "a project of this recording is there, and counts",
    FOREIGN: "a table, letter or picture",
    CHANNELS: "plates or EMG that belong to a recording",
    STATIC: "standing, from which the body model is scaled",
}
WITHOUT_NAMES = "Names of files may tell who people are. They are listed once Show Names is ticked."
FINE = "Nothing in this folder is in doubt."


def folder_blocks(study: Study, names: bool) -> tuple[Block, ...]:
    """Doubts, trials of nobody or without a recording, and files by their kind; paths with names only."""
    blocks: list[Block] = []
    doubts = list(study.sentences)
    unknown = [one for one in study.trials if not one.subject and one.state is not State.GONE]
    moved = [one for one in study.trials if one.record is not None and one.record.file != one.file]
    gone = [one for one in study.trials if one.state is State.GONE]
    if unknown:
        doubts.append(f"{_trials(len(unknown))} of nobody: neither file nor folder names a person.")
    if moved:
        doubts.append(f"{_trials(len(moved))} moved since the analysis; results were kept.")
    if gone:
        doubts.append(f"{_trials(len(gone))} without a recording: results are there, the file is gone.")
    if names:
        blocks.append(Words(tuple(doubts) or (FINE,), "Remarks"))
    else:
        hidden = len(study.sentences)
        own = doubts[hidden:]
        some = [f"{hidden} remarks about people and folders. {WITHOUT_NAMES}"] if hidden else []
        blocks.append(Words((*some, *own) or (FINE,), "Remarks"))
    kinds = Counter(one.kind for one in study.files.values())
    if kinds:
        rows = tuple((kind, str(kinds[kind]), MEANINGS[kind]) for kind in ORDER if kinds[kind])
        blocks.append(Table("Other files", ("Kind", "Files", "Meaning"), rows))
    if kinds and names:
        place = {kind: k for k, kind in enumerate(ORDER)}
        listed = sorted(study.files.items(), key=lambda item: (place.get(item[1].kind, len(ORDER)), item[0]))
        files = tuple((path, one.kind, one.reason) for path, one in listed[:MOST])
        note = (
            f"The first {MOST} of {len(listed)}; `biomec study show --files` lists all." if len(listed) > MOST else ""
        )
        blocks.append(Table("Every other file", ("File", "Kind", "Why"), files, note))
        nameless = tuple((one.file, one.id) for one in unknown[:MOST])
        if nameless:
            blocks.append(Table("Trials of nobody", ("File", "Trial"), nameless))
    elif kinds:
        blocks.append(Words((WITHOUT_NAMES,)))
    return tuple(blocks)


def _trials(count: int) -> str:
    return "1 trial" if count == 1 else f"{count} trials"
