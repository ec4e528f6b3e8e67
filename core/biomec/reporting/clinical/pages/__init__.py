"""Pages of a clinical report: one function a page, all of them in one table."""

from __future__ import annotations

from collections.abc import Mapping

from biomec.base.frozen import FrozenDict
from biomec.reporting.clinical.material import PageKind
from biomec.reporting.clinical.pages.compared import comparison
from biomec.reporting.clinical.pages.contact import contact_page
from biomec.reporting.clinical.pages.curves import (
    kinematics_cycles_page,
    kinematics_page,
    kinetics_cycles_page,
    kinetics_page,
)
from biomec.reporting.clinical.pages.ground import ground_page
from biomec.reporting.clinical.pages.indices import indices_page
from biomec.reporting.clinical.pages.measured import measured_page
from biomec.reporting.clinical.pages.muscles import muscles_page
from biomec.reporting.clinical.pages.own_angles import trunk_and_arms_page
from biomec.reporting.clinical.pages.quality import quality_page
from biomec.reporting.clinical.pages.summary import summary_page
from biomec.reporting.clinical.pages.time_distance import time_distance_page

PAGES: Mapping[str, PageKind] = FrozenDict(
    {
        "summary": PageKind("Summary", summary_page),
        "measured": PageKind("What was measured", measured_page),
        "time and distance": PageKind("Time and distance", time_distance_page),
        "kinematics": PageKind("Kinematics, mean", kinematics_page),
        "kinematics of every cycle": PageKind("Kinematics, every cycle", kinematics_cycles_page),
        "kinetics": PageKind("Kinetics, mean", kinetics_page),
        "kinetics of every cycle": PageKind("Kinetics, every cycle", kinetics_cycles_page),
        "ground reaction": PageKind("Ground reaction", ground_page),
        "indices": PageKind("Indices and values", indices_page),
        "emg": PageKind("EMG", muscles_page),
        "muscles": PageKind("Muscles and joint contact", contact_page),
        "trunk and arms": PageKind("Trunk and arms", trunk_and_arms_page),
        "comparison": PageKind("Comparison", comparison),
        "quality": PageKind("Quality", quality_page),
    }
)
"""Kind of page, as a report definition calls it -> its usual title and what makes it."""
