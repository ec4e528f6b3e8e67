"""Which hand or foot a plate, a segment or an event's context is named after, in the usual spellings."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

RIGHT = frozenset(
    {"r", "rt", "right", "d", "dir", "direita", "direito", "dx", "destra", "destro", "der", "derecha", "derecho"}
)
LEFT = frozenset(
    {"l", "lt", "left", "e", "esq", "esquerda", "esquerdo", "sx", "sinistra", "sinistro", "izq", "izquierda"}
    | {"izquierdo"}
)
FOOT = frozenset({"foot", "pe", "pie", "piede", "calcn", "calcaneus", "heel"})
HAND = frozenset({"hand", "mao", "mano", "palm"})

_GLUED = re.compile(
    rf"^(?:(?P<side>{'|'.join(sorted(RIGHT | LEFT, key=len, reverse=True))})(?P<limb>{'|'.join(sorted(FOOT | HAND))})"
    rf"|(?P<limb2>{'|'.join(sorted(FOOT | HAND))})(?P<side2>{'|'.join(sorted(RIGHT | LEFT, key=len, reverse=True))}))$"
)


@dataclass(frozen=True)
class Limb:
    """A hand or a foot.

    kind : "foot" or "hand"
    side : "Right" or "Left", as in the context of an event
    """

    kind: str
    side: str

    @property
    def label(self) -> str:
        """The name in the MOT files of the laboratory: Mao_D, Mao_E, Pe_D, Pe_E."""
        return ("Pe" if self.kind == "foot" else "Mao") + ("_D" if self.side == "Right" else "_E")


LIMBS = tuple(Limb(kind, side) for kind in ("hand", "foot") for side in ("Right", "Left"))


def limb_of(name: str) -> Limb | None:
    """Return the limb that a name means, or None.

    Understood are ``Pe_D``, ``Mao_E``, ``right foot``, ``RFoot``, ``calcn_l``, ``Pé esquerdo`` and the like. A
    name that says neither which limb nor which side, or both sides, means nobody.
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    words = set(re.findall(r"[a-z]+", spaced.lower()))
    for word in tuple(words):
        glued = _GLUED.match(word)
        if glued is not None and word not in FOOT | HAND | RIGHT | LEFT:
            words |= {part for part in glued.groups() if part}
    kinds = [kind for kind, known in (("foot", FOOT), ("hand", HAND)) if words & known]
    sides = [side for side, known in (("Right", RIGHT), ("Left", LEFT)) if words & known]
    return Limb(kinds[0], sides[0]) if len(kinds) == len(sides) == 1 else None
