"""What is attacked: every reader of files from others, and every object that Biomec stores and reads again."""

import io
import json
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import h5py
import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.notices import warning
from biomec.body.anatomy.ellipsoids import parse_ellipsoid
from biomec.body.anatomy.inertia_table import parse_inertia_table
from biomec.body.anatomy.model_file import parse_model
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.muscles.fitting import fit_muscles
from biomec.body.muscles.set_file import load_muscle_set
from biomec.body.tracking.joint_ranges import parse_joint_ranges
from biomec.engine.description import load_system
from biomec.io.label_map_file import read_label_map
from biomec.io.marker_set_file import parse_marker_set
from biomec.io.mat_session import read_mat_session, write_mat_session
from biomec.io.project import load_project, save_project
from biomec.io.registry import FORMATS, read_trial, write_trial
from biomec.io.session_import import import_session
from biomec.io.summary import summary, summary_text
from biomec.machines.columns import read_columns
from biomec.machines.head_neck.model import FILES, HeadNeck, load_head_neck
from biomec.machines.head_neck.points import exported_points, with_points
from biomec.machines.head_neck.sweeps import ROW_FIGURES, kept_rows
from biomec.machines.machine import load_machine
from biomec.machines.motors import torques_in
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.reopen import reopened
from biomec.pipeline.settings import AnalysisSettings
from biomec.pipeline.settings_file import read_settings, settings_text
from biomec.recording import ClinicalNotes, ExcludedCycle, Original, Record, Result, Session, Source
from biomec.reporting.clinical.blocks import ClinicalReport, FreeText, Heading, Page, Words
from biomec.reporting.clinical.definition import read_definition
from biomec.reporting.norms.mapped_csv import parse_mapping, read_mapping
from biomec.reporting.norms.norm_file import SET, read_norm_set
from biomec.reporting.norms.readers import read_norms
from biomec.reporting.tables import Table
from biomec.signals.emg_muscles import MUSCLES, EmgReading
from biomec.study.discovery import FolderContent, FoundFile, FoundTrial
from biomec.study.index import Index
from biomec.study.record import TrialRecord
from biomec.study.study import open_study
from biomec.study.trial_cycles import read_cycles
from biomec_resources import resource
from tests.core.pipeline.standing import swaying_session
from tests.core.pipeline.tiny_run import tiny_run
from tests.core.recording.examples import full_trial
from tests.core.reporting.norms import examples as norms
from tests.fuzz import mutations
from tests.places import ROOT

Damage = Callable[[bytes, np.random.Generator], bytes]


@dataclass(frozen=True)
class Target:
    """One kind of file.

    seeds  : whole files to begin with
    damage : how one is damaged
    use    : what a user does with such a file; raises `BiomecError` and nothing else
    """

    name: str
    suffix: str
    seeds: Callable[[], tuple[bytes, ...]]
    damage: Damage
    use: Callable[[Path], object]


def _recording(path: Path) -> None:
    facts = summary(read_trial(path))
    json.dumps(facts, allow_nan=False)
    summary_text(facts)


def _session(path: Path) -> None:
    session = load_project(path)
    json.dumps(summary(session.dynamic), allow_nan=False)
    reopened(session)


def _mat(path: Path) -> None:
    session = read_mat_session(path)
    if session is not None:
        reopened(session)


def _answers(path: Path) -> None:
    from biomec_app.session.approvals import FILE, Approvals, Candidate

    folder = path.parent / "approved"
    folder.mkdir(exist_ok=True, mode=0o700)
    (folder / FILE).write_bytes(path.read_bytes())
    (folder / FILE).chmod(0o600)
    kept = Approvals(folder)
    assert kept.answer(Candidate(Path("/a/b.py"), b"", None)) is None
    kept.forget_refusals()


def _imported(path: Path) -> None:
    import_session(path)


def _text(parse: Callable[[str, str], object]) -> Callable[[Path], None]:
    def use(path: Path) -> None:
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            return
        parse(text, path.name)

    return use


def _columns(path: Path) -> None:
    torques_in(read_columns(path), ["O"])


def _machine(path: Path) -> None:
    load_machine(path)


@cache
def _neck() -> HeadNeck:
    return load_head_neck()


def _neck_tables() -> tuple[bytes, ...]:
    return tuple(resource("head_neck", name).read_bytes() for name in FILES)


def _neck_table(path: Path) -> None:
    """A table in the place of the shipped one that it is like."""
    begin = path.read_bytes()[:8]
    like = [name for name, seed in zip(FILES, _neck_tables(), strict=True) if seed[:8] == begin]
    folder = path.parent / "neck"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    shutil.copy(path, folder / (like or FILES)[0])
    load_head_neck(folder=folder)


def _neck_points(text: str, source: str) -> None:
    with_points(_neck(), text, source)


def _sweep_rows(path: Path) -> None:
    kept_rows(path, "0" * 16)


def _report_definition(path: Path) -> None:
    read_definition(str(path))


def _emg_muscles(path: Path) -> None:
    """Muscles of channels, named as recordings name them, and as the file itself does."""
    table = MUSCLES.load(str(path))
    table.assigned(
        ("R_RF", "Voltage.L Tib Ant", "", "\0", "r" * 300, *table.channels, *(m.name for m in table.muscles))
    )
    for muscle in table.muscles:
        table.active(muscle.name, 60.0)


def _muscle_set(path: Path) -> None:
    """A set laid on a person."""
    fit_muscles(_person(), load_muscle_set(str(path)))


@cache
def _person() -> SubjectModel:
    return Analysis(swaying_session(0.1)).run_until("body").body.person


def _norm_table(path: Path) -> None:
    read_norms(path, (parse_mapping(norms.MAPPING, "mapping.toml"),))


def _norm_set(path: Path) -> None:
    """The file as each of the texts of a norm set."""
    folder = path.parent / "norm"
    folder.mkdir(exist_ok=True)
    for name in (SET, "curves.csv", "parameters.csv", "discrete.csv", "speed_by_age.csv"):
        for old in folder.iterdir():
            old.unlink()
        (folder / SET).write_text('title = "a"\n')
        (folder / name).write_bytes(path.read_bytes())
        with suppress(BiomecError):
            read_norm_set(folder)


def _recovery(path: Path) -> None:
    from biomec_app.shell.autosave import leftovers

    folder = path.parent / "recovery"
    folder.mkdir(exist_ok=True, mode=0o700)
    (folder / "1-ab.biomec").write_bytes(b"x")
    (folder / "1-ab.json").write_bytes(path.read_bytes())
    (folder / "1-ab.json").chmod(0o600)  # what others can change is not read
    for left in leftovers(folder):
        str(left.name), str(left.project)


def _word_template(path: Path) -> None:
    """A report of words and a table, written into the file as a template."""
    from biomec_app.figures.report.docx import written
    from biomec_app.figures.report.options import ReportOptions

    written(_short_report(), ReportOptions(template=path))


@cache
def _short_report() -> ClinicalReport:
    blocks = (
        Words(("The knee stays bent.",), "Findings"),
        Table("Speed", ("Side", "m/s"), (("Right", "1.2"),), "Mean of the cycles."),
        FreeText("findings", "Remarks"),
    )
    pages = (Page("quality", "Quality", blocks), Page("summary", "Summary", blocks[:1], landscape=True))
    heading = Heading("Gait laboratory", None, "A. Person", "P-017", "", "", "good", "0.1")
    return ClinicalReport("Gait report", heading, (("1.2", "m/s"),), pages)


def _preferences(path: Path) -> None:
    from biomec_app.session.preferences import Preferences

    kept = Preferences(path)
    for name in dir(Preferences):
        if isinstance(getattr(Preferences, name), property):
            getattr(kept, name)


# -------------------------------------------------------------------------------------------------------------- seeds
@cache
def _written(suffix: str) -> tuple[bytes, ...]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        write_trial(full_trial(frames=6), path)
        return (path.read_bytes(),)


@cache
def _mat73() -> tuple[bytes, ...]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.mat"
        with h5py.File(path, "w", userblock_size=512) as file:
            for name, value in (("C7", np.ones((3, 6))), ("IJ", np.zeros((3, 6))), ("rate", np.array([[100.0]]))):
                file[name] = value
                file[name].attrs["MATLAB_class"] = np.bytes_("double")
            part = file.create_group("trial")
            part["names"] = np.array([[67, 55]], dtype="u2")
            part["names"].attrs["MATLAB_class"] = np.bytes_("char")
        data = bytearray(path.read_bytes())
        data[:19] = b"MATLAB 7.3 MAT-file"
        return (bytes(data),)


@cache
def _project() -> tuple[bytes, ...]:
    plain = json.loads(settings_text(AnalysisSettings()))
    session = Session(
        full_trial(frames=6), full_trial(frames=5, seed=2), settings={"analysis": plain, "steps": ["signals"]},
        results={
            "angles": Result({"values": np.ones((6, 2))}, {"names": ["a", "b"]}),
            "simulation: a": tiny_run("a").to_result(),
        },
        notes=ClinicalNotes("A-17", excluded_cycles=(ExcludedCycle("left", 3, "stumbled"),)),
        originals=(Original(Source.of_bytes("a.emt", "EMT", b"BTS ASCII"), b"BTS ASCII"),),
        notices=(warning("odd", "Something is odd.", "C7", frames=(1, 2)),),
        provenance=(Record("angles", "2026-03-01T12:00:00Z", "0.1", {"a": [1]}, {"dynamic": "ab"}),),
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.biomec"
        save_project(session, path)
        return (path.read_bytes(),)


@cache
def _mat_session() -> tuple[bytes, ...]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.biomec"
        path.write_bytes(_project()[0])
        write_mat_session(load_project(path), path.with_suffix(".mat"))
        return (path.with_suffix(".mat").read_bytes(),)


@cache
def _muscle_sets() -> tuple[bytes, ...]:
    """Small files with everything that such a file may hold; what traces paths is compiled before time is taken."""
    fit_muscles(_person(), load_muscle_set("elbow"))
    shipped = (resource("muscles", "sets", f"{name}.toml").read_bytes() for name in ("elbow", "legs", "arms"))
    return (MUSCLE_SET, *shipped)


def _shipped(*folder: str) -> Callable[[], tuple[bytes, ...]]:
    @cache
    def seeds() -> tuple[bytes, ...]:
        files = sorted((one for one in resource(*folder).iterdir() if one.name.endswith(".toml")), key=lambda f: f.name)
        return tuple(one.read_bytes() for one in files[:6])

    return seeds


@cache
def _documents() -> tuple[bytes, ...]:
    """Word documents with a header of their own, one with a second section, with the few styles that a house needs."""
    import docx

    made = []
    for wide in (False, True):
        document = docx.Document()
        for style in list(document.styles):
            if style.name not in ("Normal", "Header", "Heading 1", "Title"):
                style.delete()
        document.add_paragraph("old text")
        document.sections[0].header.paragraphs[0].add_run("House of gait")
        if wide:
            document.add_section()
        image = io.BytesIO()
        document.save(image)
        made.append(image.getvalue())
    return tuple(made)


def _norm_texts() -> tuple[bytes, ...]:
    names = ("walking-speed-vancriekinge2023", "children-dixon2017")
    texts = [one.read_bytes() for name in names for one in resource("norms", name).iterdir()]
    return tuple(text[:12000] for text in texts)


MARKER_CSV = b"time,frame,C7_X [mm],C7_Y [mm],C7_Z [mm],EMG [V]\n0,1,1,2,3,0.1\n0.01,2,1.5,2,3,0.2\n0.02,3,2,,3,0.3\n"
NEXUS = (
    b"Trajectories\n100\n,,A:C7,,,A:IJ,,\nFrame,Sub Frame,X,Y,Z,X,Y,Z\n,,mm,mm,mm,mm,mm,mm\n"
    b"1,0,1,2,3,4,5,6\n2,0,1,2,3,4,5,6\n3,0,1,2,3,,,\n\nDevices\n"
)
MOTOR_TORQUES = "time [s];O [N·m]\n0;1,5\n0,1;2\n0,2;-1\n".encode()
OTHER_PROGRAM = b"time [s],Angles: crank [deg],Motor torques: O [N m]\n0,20,1\n0.5,30,2\n1,40,\n"
LABEL_MAP = b'marker_set = "ior-cast"\n[labels]\nC7 = "CV7"\nSTRN = "IJ"\n'
MUSCLE_SET = (ROOT / "tests" / "fuzz" / "two-muscles.toml").read_bytes()
ANSWERS = b'{"/a/b.py": {"allowed": true, "sha256": "ab", "day": "2026-03-01", "text": "x = 1"}}'
RECOVERY = b'{"name": "walk.biomec", "project": "/home/a/walk.biomec"}'
SWEEP_ROWS = json.dumps(
    {"blows": "0" * 16, "rows": [{"name": "a", "figures": dict.fromkeys(ROW_FIGURES, 1.0), "status": "completed"}]}
)
PREFERENCES = b'[General]\nrecent=a\\nb\ntheme=dark\nfolder=/x\nanalyse_imported=true\ngeometry="@ByteArray(abc)"\n'
PREFERENCES += b'[emg]\nchannels="{\\"Sensor 1\\": \\"right rectus femoris\\"}"\n'
TEXTS = (".emt", ".trc", ".mot", ".csv")


def _settings() -> tuple[bytes, ...]:
    usual = AnalysisSettings()
    emg = EmgReading(channels={"Sensor 1": "right rectus femoris", "Sensor 2": ""})
    return tuple(settings_text(one).encode() for one in (usual, replace(usual, emg=emg)))


def _study_file(name: str) -> Callable[[Path], None]:
    """A study whose results hold this file; opened, as far as a sentence allows."""

    def use(path: Path) -> None:
        folder = path.parent / "study"
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())
        try:
            open_study(folder).filtered("walk")
        finally:
            shutil.rmtree(folder)

    return use


def _study_cycles(path: Path) -> None:
    """Cycles of a trial, as the window reads them."""
    path.rename(path.with_name("cycles.csv"))
    read_cycles(path.parent)


def _study_index() -> tuple[bytes, ...]:
    with tempfile.TemporaryDirectory() as place:
        index = Index()
        found = FoundTrial("walk.c3d", "ab", "ab", person="Ann")
        content = FolderContent("signature", (found,), (FoundFile("a.csv", "not a recording"),))
        index.fill({"Ann": content}, {STUDY_ID: ("1 2", TrialRecord(STUDY_ID, "x", "0.3.0"))}, [])
        index.save(Path(place) / "index.sqlite")
        return ((Path(place) / "index.sqlite").read_bytes(),)


STUDY_ID = "0123456789abcdef"
STUDY = (
    b'name = "S"\nlayout = ["subject", "session"]\nmuscles = false\n'
    b'[[subject]]\ncode = "S1"\nfolders = ["a"]\nmass_kg = 70\n'
    b'[[condition]]\nname = "open"\nwords = ["aberto"]\n[[trial]]\nfile = "a/b.c3d"\nexcluded = "fell"\n'
)
DECISIONS = b'[[decision]]\ntrial = "ab"\nside = "right"\nframe = 120\nreason = "fell"\n'
TARGETS: tuple[Target, ...] = (
    *(
        Target(
            one.name.lower().replace(" ", "-"), one.extensions[0], lambda end=one.extensions[0]: _written(end),
            mutations.damaged_text if one.extensions[0] in TEXTS else mutations.damaged_bytes, _recording,
        )
        for one in FORMATS
    ),
    Target("marker-csv", ".csv", lambda: (MARKER_CSV, NEXUS), mutations.damaged_text, _recording),
    Target("import", ".emt", lambda: _written(".emt"), mutations.damaged_text, _imported),
    Target("mat73", ".mat", _mat73, mutations.damaged_hdf5, _recording),
    Target("signed-project", ".biomec", _project, mutations.damaged_project, _session),
    Target("mat-session", ".mat", _mat_session, mutations.damaged_bytes, _mat),
    Target("mat-session-text", ".mat", _mat_session, mutations.damaged_mat_session, _mat),
    Target("extension-answers", ".json", lambda: (ANSWERS,), mutations.damaged_json_text, _answers),
    Target("settings", ".json", _settings, mutations.damaged_json_text, read_settings),
    Target("label-map", ".toml", lambda: (LABEL_MAP,), mutations.damaged_toml, read_label_map),
    Target("marker-set", ".toml", _shipped("marker_sets"), mutations.damaged_toml, _text(parse_marker_set)),
    Target("body-model", ".toml", _shipped("models"), mutations.damaged_toml, _text(parse_model)),
    Target("ellipsoid", ".toml", _shipped("ellipsoids"), mutations.damaged_toml, _text(parse_ellipsoid)),
    Target("inertia-table", ".toml", _shipped("inertia"), mutations.damaged_toml, _text(parse_inertia_table)),
    Target("joint-ranges", ".toml", _shipped("joint_stops"), mutations.damaged_toml, _text(parse_joint_ranges)),
    Target("muscle-set", ".toml", _muscle_sets, mutations.damaged_toml, _muscle_set),
    Target("emg-muscles", ".toml", _shipped("emg"), mutations.damaged_toml, _emg_muscles),
    Target("report-definition", ".toml", _shipped("reports"), mutations.damaged_toml, _report_definition),
    Target("mechanism", ".toml", _shipped("mechanisms"), mutations.damaged_toml, load_system),
    Target("machine", ".toml", _shipped("machines"), mutations.damaged_toml, _machine),
    Target("neck-table", ".csv", _neck_tables, mutations.damaged_text, _neck_table),
    Target("neck-points", ".csv", lambda: (exported_points(_neck()).encode(),), mutations.damaged_text,
           _text(_neck_points)),
    Target("neck-sweep", ".json", lambda: (SWEEP_ROWS.encode(),), mutations.damaged_json_text, _sweep_rows),
    Target("machine-table", ".csv", lambda: (MOTOR_TORQUES, OTHER_PROGRAM), mutations.damaged_text, _columns),
    Target("norm-gcd", ".gcd", lambda: (norms.gcd().encode(),), mutations.damaged_text, read_norms),
    Target("norm-pycgm2", ".json", lambda: (norms.pycgm2().encode(),), mutations.damaged_json_text, read_norms),
    Target("norm-xlsx", ".xlsx", lambda: (norms.polygon(),), mutations.damaged_office, read_norms),
    Target("norm-xls", ".xls", lambda: (norms.XLS.read_bytes(),), mutations.damaged_bytes, read_norms),
    Target("norm-table", ".csv", lambda: (norms.TABLE.encode(),), mutations.damaged_text, _norm_table),
    Target("norm-mapping", ".toml", lambda: (norms.MAPPING.encode(),), mutations.damaged_toml, read_mapping),
    Target("norm-set", ".txt", _norm_texts, mutations.damaged_text, _norm_set),
    Target("word-template", ".docx", _documents, mutations.damaged_office, _word_template),
    Target("study", ".toml", lambda: (STUDY,), mutations.damaged_toml, _study_file("study.toml")),
    Target("study-decisions", ".toml", lambda: (DECISIONS,), mutations.damaged_toml,
           _study_file("biomec-study/decisions.toml")),
    Target("study-people", ".csv", lambda: (b"code,known by\nP001,folder Ann\n",), mutations.damaged_text,
           _study_file("biomec-study/people.csv")),
    Target("study-trial", ".json", lambda: (TrialRecord(STUDY_ID, "x", "0.3.0").text.encode(),),
           mutations.damaged_json_text, _study_file(f"biomec-study/trials/{STUDY_ID}/trial.json")),
    Target("study-cycles", ".csv", lambda: (b"side,cycle,first frame,last frame,begin [s],end [s],counts,reason\n"
                                            b"both,1,14,197,0.260,3.920,no,looked around\n",),
           mutations.damaged_text, _study_cycles),
    Target("study-index", ".sqlite", _study_index, mutations.damaged_bytes, _study_file("biomec-study/index.sqlite")),
    Target("recovery", ".json", lambda: (RECOVERY,), mutations.damaged_json_text, _recovery),
    Target("preferences", ".ini", lambda: (PREFERENCES,), mutations.damaged_text, _preferences),
)  # fmt: skip
OURS = BiomecError
