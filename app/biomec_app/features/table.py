"""All features; importing this module makes their curves, figures and overlays known. A new one is an entry here."""

from __future__ import annotations

from biomec_app.curves.motion import joint_angles
from biomec_app.features.aids import actions as aid_actions
from biomec_app.features.clinical import actions as clinical_actions
from biomec_app.features.feature import BOTTOM, RIGHT, Feature, Panel
from biomec_app.features.loads import actions as load_actions
from biomec_app.features.loads import curves as load_curves
from biomec_app.features.loads.device_overlays import CuffForces, Misalignment
from biomec_app.features.loads.figure_cycles import LoadCycleFigure
from biomec_app.features.loads.figure_methods import MethodFigure
from biomec_app.features.loads.figure_preparations import PreparationFigure
from biomec_app.features.loads.overlays import JointForces, JointMoments, ResidualForce
from biomec_app.features.loads.panel import LoadPanel
from biomec_app.features.muscles import actions as muscle_actions
from biomec_app.features.muscles import curves as muscle_curves
from biomec_app.features.muscles.overlays import ContactForces, MuscleTubes, WrapSurfaces
from biomec_app.features.muscles.panel import MusclePanel
from biomec_app.features.simulations import actions as simulation_actions
from biomec_app.features.simulations.curves import simulations
from biomec_app.features.simulations.figure_runs import SimulationRunFigure
from biomec_app.features.simulations.panel import SimulationPanel
from biomec_app.features.trust.notices import NoticePanel
from biomec_app.features.trust.panel import TrustPanel
from biomec_app.features.workbench import actions as workbench_actions

FEATURES = (
    Feature(
        "trust",
        panels=(Panel("trust", "Trust", RIGHT, TrustPanel), Panel("notices", "Notices", BOTTOM, NoticePanel)),
    ),
    Feature(
        "loads",
        panels=(Panel("loads", "Loads", RIGHT, LoadPanel),),
        curves=load_curves.PROVIDERS,
        curves_after=joint_angles.__name__,
        finder=load_curves.by_key,
        figures=(LoadCycleFigure(), MethodFigure(), PreparationFigure()),
        overlays={
            "joint forces": JointForces,
            "joint moments": JointMoments,
            "cuff forces": CuffForces,
            "misalignment": Misalignment,
            "load residual": ResidualForce,
        },
        overlays_after="forces",
        actions=load_actions.ACTIONS,
    ),
    Feature("aids", actions=aid_actions.ACTIONS),
    Feature(
        "muscles",
        panels=(Panel("muscles", "Muscles", RIGHT, MusclePanel),),
        curves=muscle_curves.PROVIDERS,
        curves_after=load_curves.PROVIDERS[-1].__name__,
        overlays={"muscles": MuscleTubes, "wrap surfaces": WrapSurfaces, "contact forces": ContactForces},
        overlays_after="load residual",
        actions=muscle_actions.ACTIONS,
    ),
    Feature(
        "simulations",
        panels=(Panel("simulations", "Simulations", RIGHT, SimulationPanel),),
        curves=(simulations,),
        figures=(SimulationRunFigure(),),
        actions=simulation_actions.ACTIONS,
    ),
    Feature("clinical", actions=clinical_actions.ACTIONS, tools=clinical_actions.TOOLS),
    Feature("workbench", actions=workbench_actions.ACTIONS),
)

for feature in FEATURES:
    feature.register()
