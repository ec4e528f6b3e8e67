"""Which norm stands behind clinical curves: the sets there are, and the one that the user chose or that suits best."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from biomec.base.errors import BiomecError
from biomec.base.notices import warning
from biomec.reporting.norms.choice import NormChoice, Patient, choose_norm, norm_notices
from biomec.reporting.norms.mapped_csv import NormMapping, read_mapping
from biomec.reporting.norms.norm import NormSet
from biomec.reporting.norms.norm_file import readable_norms_in, shipped_norm, shipped_norms

AUTOMATIC, WITHOUT = "", "none"
"""Choices of a norm that are not the name of a set."""
AUTOMATIC_WORDS, WITHOUT_WORDS = "Automatic, by age and speed", "No norm"
MAPPINGS = "mappings"  # folder of the descriptions of tables, within that of the user's sets


@dataclass(frozen=True, eq=False)
class KnownNorms:
    """Sets that come with Biomec, the user's own, and sentences about those that cannot be read."""

    shipped: tuple[NormSet, ...]
    own: tuple[NormSet, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def sets(self) -> tuple[NormSet, ...]:
        """All of them; one of the user's own takes the place of a shipped one of its name."""
        own = {one.name for one in self.own}
        return (*self.own, *(one for one in self.shipped if one.name not in own))

    @property
    def with_curves(self) -> tuple[NormSet, ...]:
        """Those that can stand behind curves."""
        return tuple(one for one in self.sets if one.curves)

    def named(self, name: str) -> NormSet | None:
        """The set of that name."""
        return next((one for one in self.sets if one.name == name), None)


def known_norms(folder: Path) -> KnownNorms:
    """Every set that can be read; ``folder`` holds those of the user."""
    own, faults = readable_norms_in(folder)
    return KnownNorms(tuple(shipped_norm(name) for name in shipped_norms()), own, faults)


def chosen_norm(known: KnownNorms, wish: str, patient: Patient) -> NormChoice:
    """The set that the user wishes, or the one that suits the patient, with what must be said about it."""
    if wish == WITHOUT:
        return NormChoice(None, ())
    wished = known.named(wish) if wish != AUTOMATIC else None
    if wished is not None:
        return NormChoice(wished, norm_notices(wished, patient))
    found = choose_norm(known.sets, patient)
    if wish == AUTOMATIC:
        return found
    words = f"The norm {wish} is not there any more; the one that suits best is drawn. See Edit ▸ Norm Data…"
    return NormChoice(found.norm, (warning("norm-gone", words), *found.notices))


def remembered_mappings(folder: Path) -> tuple[NormMapping, ...]:
    """Descriptions of tables that the user has imported before; damaged ones are passed over."""
    found = []
    for path in sorted((folder / MAPPINGS).glob("*.toml")):
        try:
            found.append(read_mapping(path))
        except BiomecError:
            continue  # a table that it would have described is asked about again
    return tuple(found)


def free_name(known: KnownNorms, wish: str) -> str:
    """The wished name of a set, with a number if another has it."""
    taken = {one.name for one in known.sets}
    return next(name for k in range(1, len(taken) + 2) if (name := wish if k == 1 else f"{wish}-{k}") not in taken)
