"""The analysis as a whole: steps and their order, settings, progress, cancel, provenance.

from biomec.io import import_session
from biomec.pipeline import analyze
from biomec.reporting import write_analysis

analysis = analyze(import_session("walk.c3d"))
write_analysis(analysis, "results")
"""

from biomec.pipeline.analysis import STEPS, Analysis, Step, analyze
from biomec.pipeline.settings import (
    AnalysisSettings,
    BodySettings,
    CycleSettings,
    PreparationSettings,
    SignalSettings,
)

__all__ = [
    "STEPS",
    "Analysis",
    "AnalysisSettings",
    "BodySettings",
    "CycleSettings",
    "PreparationSettings",
    "SignalSettings",
    "Step",
    "analyze",
]
