"""What an analysis leaves in a folder: a summary, tables of angles and quality, coordinates, and the session itself.

summary.json     what was analysed, how well it went, what was assumed
angles.csv       joint angles [°], one row a frame
cycles.csv       mean and standard deviation of the angles over the valid cycles [°], 0 to 100 %
time_and_distance.csv  time and distance of every stride, means and symmetry [s, m, %]; of a walk
quality.csv      how each frame was solved: status, iterations, ‖Φ‖, ‖Δq‖, violation by type of constraint [SI units]
coordinates.csv  consistent natural coordinates [m, –]
segments.csv     centres of mass of the segments and of the whole body [m]
loads.csv        forces, moments and power of the joints, and the residual [N, N m, W]; if inverse dynamics has run
load_parts.csv   what weight, acceleration and the ground ask of the joints: parts that sum to loads.csv [N, N m]
load_statistics.csv  peak, RMS, impulse and work of every load in every valid cycle, mean and standard deviation
joint_stress.csv     compression, traction and shear as shares of the joint force [%]
residual.csv         RMS and peak of the residual along the axes of the laboratory [N, N m]
consistent_motion.csv  residual before and after, and joint angles, of dynamically consistent motion [N, N m, °]
load_methods.csv     difference of the loads by both methods over the cycles [N, N m, % of the range]
devices.csv          torques of orthoses apart from the person's, cuffs, forces of crutches; for models with devices
muscles.csv, contact_forces.csv, muscle_set.csv  activations and forces of the muscles, what the joints bear with them,
                     and the muscles as fitted to the person; if muscle forces were asked for
gait_indices.csv     Gait Variable Scores, Gait Profile Score, GDI* beside the norm [°]; of a straight walk
discrete_values.csv  values of curves with norm and z [°, N m/kg, W/kg, %]; of a straight walk
scapulohumeral.csv   scapulohumeral rhythm of every raising and lowering of the arm; of models with scapulae
plug_in_gait.csv     angles, moments and powers as Vicon computes them [°, N·m/kg, W/kg]; for Plug-in Gait markers
plug_in_gait_comparison.csv  how far our own model is from these, and these from what the file stores
session.biomec   everything, to be opened again
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from biomec._version import __version__
from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError, FileError
from biomec.base.together import replaced_together
from biomec.body.anatomy.subject_model import surface_sensitivity
from biomec.body.plug_in_gait.comparison import ANGLE, UNITS
from biomec.engine.position import FrameStatus
from biomec.io.project import refuse_to_destroy, save_project
from biomec.pipeline.analysis import Analysis, step_named
from biomec.pipeline.plug_in_gait import comparison, vicon_curves
from biomec.pipeline.settings_file import settings_text
from biomec.reporting.content.dynamic_section import consistent_csv
from biomec.reporting.content.load_tables import joint_stress_csv, load_methods_csv, residual_csv
from biomec.reporting.content.plug_in_gait_section import comparison_rows, plug_in_gait_summary
from biomec.reporting.content.time_and_distance_section import time_and_distance_csv
from biomec.reporting.facts import (
    cycle_facts,
    finite_largest,
    finite_mean,
    finite_rms,
    model_facts,
    motion_facts,
    signal_facts,
    subject_facts,
    trial_facts,
)
from biomec.reporting.files.device_files import DEVICES_CSV, devices_csv, devices_summary, has_devices
from biomec.reporting.files.index_files import index_summary, index_texts
from biomec.reporting.files.load_files import load_parts_csv, load_statistics_csv, loads_csv, loads_summary
from biomec.reporting.files.muscle_files import OF_MUSCLES, muscles_summary
from biomec.reporting.indices.scapulohumeral import rhythm_csv
from biomec.reporting.tables import by_frame, plain_number, table_text

MILLIMETRE = 1e3
ASSUMED = ("sex-assumed", "mass-assumed", "height-assumed")
FILES = (
    "summary.json", "settings.json", "angles.csv", "cycles.csv", "time_and_distance.csv", "quality.csv",
    "coordinates.csv", "segments.csv", "loads.csv", "load_parts.csv", "load_statistics.csv", "joint_stress.csv",
    "residual.csv", "load_methods.csv", "consistent_motion.csv", DEVICES_CSV, *OF_MUSCLES, "scapulohumeral.csv",
    "gait_indices.csv",
    "discrete_values.csv", "plug_in_gait.csv", "plug_in_gait_comparison.csv", "session.biomec",
)  # fmt: skip
OF_GAIT = (
    "time_and_distance.csv", "gait_indices.csv", "discrete_values.csv", "plug_in_gait.csv",
    "plug_in_gait_comparison.csv",
)  # fmt: skip
"""Files that are written where somebody walks, or where the markers are those of Plug-in Gait."""
OF_ARMS = ("scapulohumeral.csv",)
"""Files that are written where an arm is raised, by a model with scapulae."""
OF_DEVICES = (DEVICES_CSV,)
"""Files that are written for models with crutches, orthoses or other devices."""
OF_CONSISTENCY = ("consistent_motion.csv",)
"""Files that are written where the motion was made dynamically consistent."""
OF_LOADS = {
    "loads.csv": loads_csv, "load_parts.csv": load_parts_csv, "load_statistics.csv": load_statistics_csv,
    "joint_stress.csv": joint_stress_csv, "residual.csv": residual_csv, "load_methods.csv": load_methods_csv,
}  # fmt: skip


def write_analysis(analysis: Analysis, folder: Path, *, overwrite: bool = False) -> tuple[Path, ...]:
    """Write all files of an analysis into a folder, made if needed; nothing is overwritten unless asked for.

    Results that are overwritten change together, with ``summary.json`` last; other files in the folder stay.
    """
    refuse_to_overwrite(folder, overwrite)
    if analysis.stale:
        titles = ", ".join(f'"{step_named(name).title}"' for name in analysis.stale)
        raise BiomecError(f"Settings were changed after {titles} had run. Run the analysis again before it is written.")
    folder = Path(folder)
    refuse_to_destroy(folder / "session.biomec")
    texts = {
        "summary.json": json.dumps(summary(analysis), indent=2, ensure_ascii=False, allow_nan=False) + "\n",
        "settings.json": settings_text(analysis.settings),
        "angles.csv": _angles_csv(analysis),
        "cycles.csv": _cycles_csv(analysis),
        "quality.csv": _quality_csv(analysis),
        "coordinates.csv": _coordinates_csv(analysis),
        "segments.csv": _segments_csv(analysis),
    }
    if "loads" in analysis.done:
        texts |= {name: made(analysis) for name, made in OF_LOADS.items()}
        consistent = consistent_csv(analysis)
        texts |= {} if consistent is None else {"consistent_motion.csv": consistent}
    if has_devices(analysis):
        texts[DEVICES_CSV] = devices_csv(analysis)
    if "muscles" in analysis.done:
        texts |= {name: made(analysis) for name, made in OF_MUSCLES.items()}
    strides = time_and_distance_csv(analysis)
    texts |= {} if strides is None else {"time_and_distance.csv": strides}
    texts |= _plug_in_gait_csv(analysis)
    texts |= index_texts(analysis)
    rhythm = rhythm_csv(analysis)
    texts |= {} if rhythm is None else {"scapulohumeral.csv": rhythm}
    with replaced_together(folder, "summary.json", FILES, shared=["session.biomec"]) as stage:
        for name, text in texts.items():
            (stage / name).write_text(text, encoding="utf-8")
        save_project(analysis.stored(), stage / "session.biomec")
    written = (*texts, "session.biomec")
    return tuple(folder / name for name in FILES if name in written)


def refuse_to_overwrite(folder: Path, overwrite: bool = False) -> None:
    """Raise a sentence if a folder holds results that would be lost; worth asking before a long analysis."""
    there = [name for name in FILES if (Path(folder) / name).exists()]
    if there and not overwrite:
        some = ", ".join(there[:3]) + (" …" if len(there) > 3 else "")
        raise FileError(
            Path(folder).name,
            f"it holds results already ({some}). Choose another folder, or overwrite them.",
            ("overwrite", ""),
        )


def summary(analysis: Analysis) -> dict[str, Any]:
    """What was analysed and how well it went, as plain data: lengths in mm where a key says so, else SI."""
    loaded, motion, clean = analysis.body, analysis.motion, analysis.signals
    body, position = loaded.person, motion.position
    valid, residual = motion.valid, motion.marker_residual
    recorded, person, model, fit, cycles = (
        trial_facts(clean.trial),
        subject_facts(analysis),
        model_facts(analysis),
        motion_facts(motion),
        cycle_facts(analysis),
    )
    return {
        "biomec": __version__,
        "recording": {
            "dynamic": analysis.session.dynamic.source.name,
            "static": None if analysis.session.static is None else analysis.session.static.source.name,
            "marker_set": signal_facts(analysis)["marker_set"].value,
            "frames": recorded["frames"].value,
            "rate_hz": recorded["rate"].value,
            "seconds": recorded["duration"].value,
        },
        "subject": {
            "sex": person["sex"].value,
            "mass_kg": person["mass"].value,
            "height_m": person["height"].value,
            "weighed_kg": person["weighed"].value,
            "assumed": [
                code.removesuffix("-assumed") for code in ASSUMED if any(n.code == code for n in loaded.notices)
            ],
        },
        "model": {
            **{
                key: model[key].value
                for key in ("name", "segments", "coordinates", "constraints", "redundant", "dof", "mixed", "left_out")
            },
            "joint_centres": dict(body.plan.methods),
            "ellipsoids": _ellipsoids(analysis),
        },
        "consistency": {
            "method": fit["method"].value,
            "frames": fit["frames"].value,
            "converged": fit["solved"].value,
            "iterations_mean": plain_number(fit["iterations"].value),
            "iterations_max": fit["iterations_max"].value,
            "phi_max": plain_number(fit["violation"].value),
            "velocity_phi_max": plain_number(finite_largest(motion.velocity.after)),
            "acceleration_phi_max": plain_number(finite_largest(motion.acceleration.after)),
            "violation_before": {
                name: plain_number(finite_mean(value[valid])) for name, value in position.before.items()
            },
            "violation_after": {
                name: plain_number(finite_mean(value[valid])) for name, value in position.after.items()
            },
            "landmark_shift_mm": {
                name: plain_number(MILLIMETRE * finite_mean(motion.distance[valid, k]))
                for k, name in enumerate(motion.landmarks)
            },
        },
        "markers": {
            "rms_mm": plain_number(fit["marker_rms"].value),
            "max_mm": plain_number(fit["marker_max"].value),
            "by_marker": {
                name: {
                    "rms_mm": plain_number(MILLIMETRE * finite_rms(residual[valid, k])),
                    "max_mm": plain_number(MILLIMETRE * finite_largest(residual[valid, k])),
                }
                for k, name in enumerate(motion.markers)
            },
        },
        "cycles": {
            "by": cycles["by"].value,
            "found": cycles["found"].value,
            "valid": cycles["valid"].value,
        },
        "angles": {
            name: {
                "min_deg": plain_number(np.degrees(_extreme(np.nanmin, column))),
                "max_deg": plain_number(np.degrees(_extreme(np.nanmax, column))),
            }
            for name, column in zip(analysis.angles.names, analysis.angles.values.T, strict=True)
        },
        "gait_indices": index_summary(analysis),
        "inverse_dynamics": loads_summary(analysis),
        "devices": devices_summary(analysis),
        "muscles": muscles_summary(analysis),
        "plug_in_gait": plug_in_gait_summary(analysis),
        "notices": [
            {"severity": str(notice.severity), "code": notice.code, "sentence": notice.sentence}
            for notice in analysis.notices
        ],
    }


def _ellipsoids(analysis: Analysis) -> list[dict[str, Any]]:
    """Every ellipsoid under a scapula: where it comes from, how far it was dilated, and what depends on that choice."""
    body = analysis.body.person
    found = []
    for one in surface_sensitivity(body):
        surface = body.surfaces.get(one.contact) if one.preset == body.options.ellipsoid.preset else None
        found.append(
            {
                "contact": one.contact,
                "preset": one.preset,
                "used": surface is not None,
                "source": None if surface is None else surface.source,
                "dilation_mm": plain_number(MILLIMETRE * one.dilation_m),
                "normal_apart_deg": plain_number(one.normal_apart_deg),
                "normal_change_deg": plain_number(one.normal_change_deg),
                "curvature_change": plain_number(one.curvature_change),
            }
        )
    return found


# -------------------------------------------------------------------------------------------------------------- tables
def _angles_csv(analysis: Analysis) -> str:
    angles = analysis.angles
    names = [f"{name} (deg)" for name in angles.names]
    return table_text(["frame", "time_s", *names], by_frame(analysis.signals.trial), np.degrees(angles.values))


def _cycles_csv(analysis: Analysis) -> str:
    names = analysis.angles.names
    columns, values = ["percent"], []
    for side, curves in analysis.cycles.curves.items():
        grid = np.linspace(0.0, 100.0, 101)
        for what, array in (("mean", curves.mean), ("sd", curves.sd)):
            columns += [f"{side} cycles: {name} {what} (deg)" for name in names]
            values.append(np.degrees(_on_grid(grid, curves.percent, array)))
    if not values:
        return table_text(columns, [])
    return table_text(columns, [[f"{percent:g}"] for percent in range(101)], np.concatenate(values, axis=1))


def _plug_in_gait_csv(analysis: Analysis) -> dict[str, str]:
    """File -> text: Plug-in Gait as Vicon computes it, and what differs from it; empty where it was not computed."""
    found, curves = comparison(analysis), tuple(vicon_curves(analysis))
    if found is None:
        return {}
    names = [f"{name} ({'deg' if kind == ANGLE else UNITS[kind]})" for name, kind, _ in curves]
    values = np.stack([np.degrees(curve) if kind == ANGLE else curve for _, kind, curve in curves], axis=1)
    head = ["compared", "curve", "kind", "unit", "rms", "offset", "rms_without_offset", "largest", "frames"]
    return {
        "plug_in_gait.csv": table_text(["frame", "time_s", *names], by_frame(analysis.preparation.dynamic), values),
        "plug_in_gait_comparison.csv": table_text(head, comparison_rows(found)),
    }


def _quality_csv(analysis: Analysis) -> str:
    motion, position = analysis.motion, analysis.motion.position
    names = ["status", "valid", "iterations", "phi", "dq", "seconds"]
    states = [
        [FrameStatus(int(status)).name.lower(), int(ok), int(count)]
        for status, ok, count in zip(position.status, motion.valid, position.iterations, strict=True)
    ]
    rows = [[*head, *state] for head, state in zip(by_frame(analysis.signals.trial), states, strict=True)]
    columns = [position.violation, position.increment, position.seconds]
    for when, table in (("before", position.before), ("after", position.after)):
        names += [f"{kind} {when}" for kind in table]
        columns += list(table.values())
    names += ["velocity violation", "acceleration violation", "markers rms (mm)", "largest marker residual (mm)"]
    residual = MILLIMETRE * motion.marker_residual
    columns += [motion.velocity.after, motion.acceleration.after, finite_rms(residual, 1), finite_largest(residual, 1)]
    names += [f"{name} shift (mm)" for name in motion.landmarks]
    columns += list(MILLIMETRE * motion.distance.T)
    if motion.contacts is not None:
        names += [f"{name} in contact" for name in motion.contacts.segments]
        columns += list(motion.contacts.active.T.astype(float))
    return table_text(["frame", "time_s", *names], rows, np.stack(columns, axis=1))


def _coordinates_csv(analysis: Analysis) -> str:
    names = [
        f"{body.name} {element} {axis}"
        for body in analysis.body.person.system.bodies
        for element in body.basis
        for axis in "XYZ"
    ]
    return table_text(["frame", "time_s", *names], by_frame(analysis.signals.trial), analysis.motion.q, digits=12)


def _segments_csv(analysis: Analysis) -> str:
    motion = analysis.segments
    whole = ("whole body",)
    kinds = [
        ("centre of mass", "m", whole, motion.whole_body_com[:, None]),
        ("velocity of the centre of mass", "m/s", whole, motion.whole_body_velocity[:, None]),
        ("acceleration of the centre of mass", "m/s2", whole, motion.whole_body_acceleration[:, None]),
        ("centre of mass", "m", motion.names, motion.p_com),
        ("velocity of the centre of mass", "m/s", motion.names, motion.v_com),
        ("acceleration of the centre of mass", "m/s2", motion.names, motion.a_com),
        ("angular velocity", "rad/s", motion.names, motion.omega),
        ("angular acceleration", "rad/s2", motion.names, motion.alpha),
    ]
    names = [f"{name} {what} {axis} ({unit})" for what, unit, bodies, _ in kinds for name in bodies for axis in "XYZ"]
    values = np.concatenate([array for *_, array in kinds], axis=1).reshape(len(motion.p_com), -1)
    return table_text(["frame", "time_s", *names], by_frame(analysis.signals.trial), values)


# ------------------------------------------------------------------------------------------------------------- numbers
def _extreme(function: Any, values: FloatArray) -> float:
    there = values[np.isfinite(values)]
    return float(function(there)) if there.size else float("nan")


def _on_grid(grid: FloatArray, percent: FloatArray, curves: FloatArray) -> FloatArray:
    """Curves (N, A) at other percentages."""
    return np.stack([np.interp(grid, percent, column) for column in curves.T], axis=1)
