"""Centres of the limbs between two landmarks, the ankle, and where the scapula touches the thorax."""

from __future__ import annotations

from biomec.base.arrays import FloatArray
from biomec.body.anatomy.centres.method import CentreMethod, Given, centre_method, middle

SHIFT_OF_ANKLE = 0.027  # of the length of the shank [Bruening2008]


def ankle_bruening_2008(given: Given) -> FloatArray:
    """CAT = PMM + 0.027 (PMM − KJC), PMM the middle of the malleoli      [Bruening2008]

    The centre lies 2.7 % of the shank's length below the malleoli, along the shank. Found on radiographs of children.
    """
    PMM = given.mid("ML_*", "MM_*")
    return PMM + SHIFT_OF_ANKLE * (PMM - given.point("KJC_*"))


METHODS: tuple[CentreMethod, ...] = (
    middle("elbow-midpoint", "PME_*", "Wu2005", ("EM_*", "EL_*"), "Middle of the epicondyles"),
    middle("wrist-midpoint", "CAP_*", "Wu2005", ("EU_*", "ER_*"), "Middle of the styloid processes"),
    middle("hand-midpoint", "PMCH_*", "Dumas2007", ("MC2_*", "MC5_*"), "Middle of the metacarpal heads"),
    middle("knee-midpoint", "KJC_*", "Dumas2007", ("CLAT_*", "CMED_*"), "Middle of the femoral condyles"),
    middle("malleoli-midpoint", "PMM_*", "Wu2002", ("ML_*", "MM_*"), "Middle of the malleoli"),
    middle("forefoot-midpoint", "PMT_*", "Dumas2007", ("MT1_*", "MT5_*"), "Middle of the metatarsal heads"),
    centre_method("ankle-bruening-2008", "CAT_*", "Bruening2008", ("KJC_*", "ML_*", "MM_*"), ankle_bruening_2008,
                  "Bruening 2008, below the malleoli by 2.7 % of the shank"),
    middle("ankle-midpoint", "CAT_*", "Wu2002", ("ML_*", "MM_*"), "Middle of the malleoli"),
    # [Nunes2017] takes these two from [GarnerPandy1999], whose numbers are not in print: landmarks of [Wu2005] stand in
    middle("scapula-contact-upper", "PES_*", "Wu2005", ("TE_*",), "Root of the scapular spine, chosen by Biomec"),
    middle("scapula-contact-lower", "PEI_*", "Wu2005", ("AI_*",), "Inferior angle, chosen by Biomec"),
)  # fmt: skip
