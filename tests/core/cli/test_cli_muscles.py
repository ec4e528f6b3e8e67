"""`biomec muscles`: tables and summary of muscle and contact forces, as a user asks for them."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from biomec.base.physics import GRAVITY
from biomec.cli import main
from biomec.io.project import load_project, save_project
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.reopen import reopened
from tests.core.pipeline.muscled import push_up_session


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    """Results of a project with nothing computed yet."""
    folder = tmp_path_factory.mktemp("muscles")
    save_project(Analysis(push_up_session()).stored(), folder / "push.biomec")
    options = ["--muscles", "legs", "--set", "signals.marker_filter=off", "--set", "signals.plate_filter=off",
               "--mvc", "triceps_D=2e-4", "--mass", "70.5"]  # fmt: skip
    assert main(["muscles", str(folder / "push.biomec"), "--out", str(folder / "out"), *options]) == 0
    return folder / "out"


def columns(path: Path) -> dict[str, np.ndarray]:
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"))))
    return {name: np.array([float(row[name] or "nan") if name != "status" else row[name] for row in rows])
            for name in rows[0]}  # fmt: skip


def test_the_summary_says_what_was_found_and_what_it_rests_on(written):
    facts = json.loads((written / "summary.json").read_text("utf-8"))["muscles"]
    assert facts["set"] == "legs"
    assert facts["frames"] == facts["solved"] > 0
    assert 0.0 < facts["largest_reserve_Nm"] < 1.0
    assert facts["criterion"] == "quadratic"
    assert facts["muscles"] == 86
    assert facts["sources"][0]["licence"]
    assert len(facts["scaling"]["right thigh"]) == 3
    assert sum(facts["status"].values()) == len(columns(written / "muscles.csv")["frame"])


def test_what_is_said_of_the_person_wins_over_the_project(written, capsys, tmp_path):
    contacts = columns(written / "contact_forces.csv")
    newtons, weights = (contacts[f"right knee contact force ({unit})"] for unit in ("N", "BW"))
    # tables have seven digits
    np.testing.assert_allclose(newtons, 70.5 * GRAVITY * weights, rtol=1e-5)
    project, out = str(written / "session.biomec"), str(tmp_path / "new")
    assert main(["muscles", project, "--out", out, "--static", "standing.c3d"]) == 1
    assert "a project has its files already, so --static means nothing" in capsys.readouterr().err


def test_tables_hold_every_frame_with_its_status(written):
    muscles, contacts = columns(written / "muscles.csv"), columns(written / "contact_forces.csv")
    assert set(muscles["status"]) == {"solved"} == set(contacts["status"])
    activation = muscles["soleus_r activation"]
    assert ((activation >= 0.01 - 1e-6) & (activation <= 1.0 + 1e-6)).all()
    assert np.allclose(muscles["frame"], contacts["frame"])
    size = contacts["right knee contact force (N)"]
    parts = [contacts[f"right knee contact force {way} (N)"] for way in ("anterior", "superior", "to the right")]
    np.testing.assert_allclose(np.sqrt(sum(part**2 for part in parts)), size, rtol=1e-5)
    stress = np.hypot(contacts["right knee compression (N)"], contacts["right knee shear (N)"])
    np.testing.assert_allclose(stress, size, rtol=1e-5)
    np.testing.assert_allclose(
        size / contacts["right knee contact force (BW)"],
        GRAVITY * size / contacts["right knee contact force (N/kg)"], rtol=1e-5,
    )  # fmt: skip
    assert (size > contacts["right knee without muscles (N)"]).all()


def test_shares_of_a_torque_add_up_and_work_is_listed(written):
    muscles, shares = columns(written / "muscles.csv"), columns(written / "moment_shares.csv")
    row = "right knee flexion"
    whole = sum(values for name, values in shares.items() if name.startswith(f"{row}: "))
    np.testing.assert_allclose(
        whole + muscles[f"{row} reserve (N m)"], muscles[f"{row} net torque (N m)"], rtol=0, atol=1e-4,
    )  # fmt: skip
    busiest = max((name for name in muscles if name.endswith("power (W)")), key=lambda name: muscles[name].max())
    muscle = busiest.removesuffix(" power (W)")
    lengthening = np.gradient(muscles[f"{muscle} path length (m)"], muscles["time_s"])
    power = -muscles[f"{muscle} force (N)"] * lengthening
    # central differences at 20 Hz, of lengths of seven digits, beside exact speeds
    np.testing.assert_allclose(muscles[busiest][2:-2], power[2:-2], rtol=0, atol=0.1 * muscles[busiest].max())
    rows = {row["muscle"]: row for row in csv.DictReader(io.StringIO((written / "muscle_work.csv").read_text("utf-8")))}
    assert len(rows) == 86
    one = rows[muscle]
    assert float(one["net work (J)"]) == pytest.approx(
        float(one["work given (J)"]) - float(one["work taken (J)"]), abs=1e-5
    )
    assert float(one["least power (W)"]) < 0.0 < float(one["greatest power (W)"])


def test_every_muscle_names_its_source(written):
    rows = list(csv.DictReader(io.StringIO((written / "muscle_set.csv").read_text("utf-8"))))
    assert len(rows) == 86
    assert all(row["source"] and row["licence"] for row in rows)


def test_the_stored_project_has_the_muscles(written):
    assert "muscles" in load_project(written / "session.biomec").results


def test_maximal_contractions_are_kept_with_the_project(written, capsys, tmp_path):
    reading = reopened(load_project(written / "session.biomec")).analysis.settings.emg
    assert (reading.mvc, reading.mvc_from) == ({"triceps_D": 2e-4}, {"triceps_D": "typed"})
    for options, words in (
        (["--mvc", "R_RF=1e-4"], "There is no EMG channel R_RF"),
        (["--mvc-file", "named"], "No file beside session.biomec is named MVC"),
        (["--mvc-file", str(written / "muscles.csv")], "muscles.csv"),
    ):
        assert main(["muscles", str(written / "session.biomec"), "--out", str(tmp_path / "new"), *options]) == 1
        assert words in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["muscles", "walk.c3d", "--out", "new", "--mvc", "R_RF"])
    assert "'R_RF' is not a channel and its value" in capsys.readouterr().err


def test_results_are_not_overwritten_unasked(written, capsys):
    assert main(["muscles", str(written / "session.biomec"), "--out", str(written)]) == 1
    assert "holds results already" in capsys.readouterr().err
