"""What can be chosen about a simulation, and what cannot go together."""

import pytest

from biomec.base.errors import BiomecError
from biomec.base.plain_types import restored
from biomec.body.tracking.what_if import WhatIf
from biomec.engine.forward.formulation import FormulationOptions
from biomec.engine.forward.formulations import FORMULATIONS
from biomec.engine.forward.integrators import INTEGRATORS, Steps
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec.recording.step import plain_data


def test_the_defaults_follow_the_whole_movement_by_computed_torque():
    settings = SimulationSettings()
    assert (settings.input, settings.chosen_root) == ("computed-torque", "held")
    assert (settings.chosen_formulation, settings.chosen_integrator) == ("semi-recursive", "constant-acceleration")
    assert settings.chosen_step_s == 1e-3
    assert settings.frames is None
    assert settings.cycle is None


def test_resultant_forces_are_integrated_as_published():
    settings = SimulationSettings(input="resultant")
    assert (settings.chosen_formulation, settings.chosen_integrator) == ("stabilised", "adams")
    assert settings.chosen_step_s == 2e-3
    assert SimulationSettings(input="resultant", formulation="index-3").chosen_integrator == "trapezoidal"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"input": "hope"}, "the input is computed-torque, underactuated"),
        ({"formulation": "newton"}, "the formulation is auto, classic"),
        ({"integrator": "euler"}, "the integrator is auto, trapezoidal"),
        ({"root": "nailed"}, "the root is auto, held"),
        ({"step_s": 0.0}, "must be positive"),
        ({"step_s": float("nan")}, "must be positive"),
        ({"stiffness": -1.0}, "must be positive"),
        ({"damping": -1.0}, "control damping cannot be -1"),
        ({"max_iterations": 0}, "iterations of a step are 1 to 1000, not 0"),
        ({"max_iterations": 2.5}, "not 2.5"),
        ({"equations": FormulationOptions(max_iterations=2000)}, "iterations of its equations are 1 to 1000, not 2000"),
        ({"frames": (20, 10)}, "a first frame and a later last one"),
        ({"frames": (0, 10), "cycle": "1"}, "not both"),
        ({"input": "resultant", "root": "free"}, "resultant forces move the root too"),
        ({"input": "pd", "root": "contact"}, "needs computed torques"),
        ({"root": "contact", "what_if": WhatIf(grip_m=0.1)}, "their grip cannot be changed"),
        ({"input": "pd", "root": "feet"}, "needs computed torques"),
        ({"root": "feet", "damping": 3.0}, "critically damped"),
        ({"root": "feet", "integrator": "gear"}, "linearly implicit in the contact"),
        ({"root": "feet", "what_if": WhatIf(weakened={"right knee": 0.3})}, "not for identified contact"),
        ({"input": "resultant", "what_if": WhatIf(mass=1.1)}, "belong to the body and the ground as they were"),
        ({"input": "resultant", "joint_stops": True}, "hold what stops of the joints did"),
        ({"input": "resultant", "integrator": "symplectic-euler"}, "an input that follows the movement"),
        ({"formulation": "penalty", "integrator": "constant-acceleration"}, "semi-recursive formulation"),
        ({"input": "resultant", "formulation": "index-3", "integrator": "radau"}, "finds positions"),
        ({"input": "resultant", "integrator": "gear", "order": 7}, "the order of gear is 1 to 4"),
    ],
)
def test_what_cannot_be_is_a_sentence(given, words):
    with pytest.raises(BiomecError, match=words):
        SimulationSettings(**given)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_every_pair_that_is_refused_says_why(formulation, integrator):
    steps, equations = INTEGRATORS[integrator].steps, FORMULATIONS[formulation]
    refused = (steps is Steps.JOINT and formulation not in ("semi-recursive", "newton-euler")) or (
        steps is Steps.SCIPY and equations.finds_positions
    )
    if not refused:
        assert SimulationSettings(formulation=formulation, integrator=integrator).chosen_integrator == integrator
        return
    with pytest.raises(BiomecError, match="Choose"):
        SimulationSettings(formulation=formulation, integrator=integrator)


def test_settings_return_from_plain_data_as_they_were():
    settings = SimulationSettings(
        "mine", "underactuated", "free", "augmented", "gear", 3, 5e-4, (10, 90), None,
        FormulationOptions(1e6, 0.7, 20.0, 1e-9, 12), 1e-7, 1e-6, 0.5, 400.0, 30.0, True,
        WhatIf(1.1, {"right thigh": 1.2}, {"right hand": 5.0}, 0.38, 0.1, {"right elbow": 0.3}),
        7,
    )  # fmt: skip
    again, notices = restored(SimulationSettings, plain_data(settings))
    assert notices == ()
    assert again == settings


def test_the_title_tells_runs_apart():
    assert SimulationSettings("mine").title == "mine"
    plain = SimulationSettings(input="resultant", cycle="2")
    assert plain.title == "resultant, stabilised, adams 4, cycle 2"
    assert SimulationSettings(what_if=WhatIf(gravity=0.5)).title.endswith("what if")
