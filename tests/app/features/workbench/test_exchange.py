"""What goes from runs and other programs into the machine that is edited."""

from biomec_app.features.workbench.draft import catalogued


def opened(student, monkeypatch, name="crank-press"):
    monkeypatch.undo()  # the real studies
    student.context.user.fail = lambda title, sentence: student.told.append(sentence)
    student.window.open_draft(catalogued(name))
    student.window.studies.refresh()
    student.idle()
    return student.window


def test_torques_that_optimal_control_found_are_given_to_the_motor(student, monkeypatch):
    window = opened(student, monkeypatch)
    student.item("torques-run").trigger()
    assert student.told == ["Choose a run in the list first, such as one of optimal control."]
    student.run("optimal-control", end="angle_crank = 10*pi/9; rate_crank = 0", intervals=12, audit=False)
    student.item("torques-run").trigger()
    assert "[torques]" in student.bench.draft.text
    assert student.bench.machine.motors[0].torque is not None
    assert window.studies.study.key == "forward"
    student.run("forward", tolerance=1e-6, samples=21)
    angle = next(one for one in student.bench.runs[-1].run.curves if (one.group, one.name) == ("Angles", "crank"))
    # a mesh of 12 intervals, and straight lines between its torques: the crank comes to within 1° of half a turn
    assert abs(angle.values[-1] - 200.0) < 1.0
    student.item("torques-none").trigger()
    assert student.bench.machine.motors[0].torque is None
    student.item("undo").trigger()
    assert student.bench.machine.motors[0].torque is not None


def test_a_table_of_another_program_is_given_to_the_motor(student, monkeypatch, tmp_path):
    opened(student, monkeypatch)
    file = tmp_path / "torques.csv"
    student.context.user.ask_file = lambda *asked: file
    file.write_text("time [s],P [N·m]\n0,1\n1,1\n", encoding="utf-8")
    student.item("torques-table").trigger()
    assert "P is not a motor" in student.told[-1]
    file.write_text("time [s],O [N·m]\n0,1\n1,3\n", encoding="utf-8")
    student.item("torques-table").trigger()
    assert student.bench.machine.motors[0].given(0.5) == 2.0


def test_runs_are_compared_as_histories_and_named_by_what_differs(student, monkeypatch, tmp_path):
    window = opened(student, monkeypatch, "pendulum")
    student.run("forward", samples=21, duration_s=0.5)
    student.run("forward", samples=21, duration_s=0.5, formulation="Baumgarte", tolerance=1e-5)
    student.run("forward", samples=21, duration_s=0.5, formulation="Baumgarte", tolerance=1e-3)
    assert [one.name for one in student.bench.runs][2] == "Forward dynamics, Baumgarte, tolerance = 0.001"
    student.bench.show(student.bench.runs[0], False)
    student.item("compare-runs").trigger()
    apart = student.bench.runs[-1]
    assert "Forward dynamics, Baumgarte − " in apart.name
    assert {one.group for one in apart.run.curves} >= {"Δ Angles", "Δ Angular velocities"}
    assert "largest" in apart.run.text
    file = tmp_path / "other.csv"
    file.write_text("time [s],Angles: bar [rad],odd\n0,-0.5,1\n0.5,-0.6,1\n", encoding="utf-8")
    student.bench.choose(student.bench.runs[0])
    student.context.user.ask_file = lambda *asked: file
    student.item("compare-table").trigger()
    table, apart = student.bench.runs[-2:]
    assert table.name.startswith("other.csv")
    assert any("odd" in one for one in table.run.notices)
    ours = next(one for one in student.bench.runs[0].run.curves if (one.group, one.name) == ("Angles", "bar"))
    assert abs(apart.run.curves[0].values[0] - (ours.values[0] + 28.64788975654116)) < 1e-9  # 0.5 rad
    student.item("compare-runs").trigger()
    assert "Tick the two runs" in student.told[-1]
    assert window.results.isVisible()
