"""The studies that can be made of machines, in the order of a menu. A new one joins by a line here."""

from __future__ import annotations

from biomec.base.errors import BiomecError
from biomec.base.toml_table import did_you_mean
from biomec.machines.study import Study


def studies() -> tuple[Study, ...]:
    """All studies. Heavy libraries are loaded only when one runs."""
    from biomec.machines.closed_chain import drift_study, forward_study, inverse_study, kinematics_study, sharing_study
    from biomec.machines.head_neck import study as head_study
    from biomec.machines.head_neck import sweep_study
    from biomec.machines.optimal_control import optimal_control_study
    from biomec.machines.prosthesis import contact_study, damper_study, design_study, impact_study, swing_study
    from biomec.machines.symbolic import equations_study, linearise_study, typed_study

    return (
        kinematics_study.STUDY,
        inverse_study.STUDY,
        sharing_study.STUDY,
        forward_study.STUDY,
        drift_study.STUDY,
        equations_study.STUDY,
        linearise_study.STUDY,
        typed_study.STUDY,
        optimal_control_study.STUDY,
        swing_study.STUDY,
        impact_study.STUDY,
        design_study.STUDY,
        damper_study.STUDY,
        contact_study.LAWS_STUDY,
        contact_study.POINTS_STUDY,
        head_study.STUDY,
        sweep_study.STUDY,
    )


def study(key: str) -> Study:
    """Study of a key."""
    found = {one.key: one for one in studies()}
    if key not in found:
        raise BiomecError(
            f"There is no analysis {key}{did_you_mean(key, list(found))} The analyses are {', '.join(found)}."
        )
    return found[key]
