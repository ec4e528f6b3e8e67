"""Mapping of labels: what names say, what places say, on made-up and on real labels; nothing wrong with confidence."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.io.c3d import read_c3d
from biomec.io.marker_set_file import load_marker_set, shipped_marker_sets
from biomec.io.trc import read_trc
from biomec.pipeline.settings import PreparationSettings
from biomec.pipeline.steps.preparation import best_marker_set, preparation
from biomec.recording import Session
from biomec.recording.label_map import LabelMap
from biomec.signals.label_evidence import common_prefix
from biomec.signals.mapping import ACCEPT, HIGH, apply_mapping, completed, suggest_mapping
from tests.core.signals.marker_bodies import make_trial, standing, static_trial
from tests.real_data import recording

FULL = load_marker_set("biomec-full")
PIG = load_marker_set("plug-in-gait")

# What the labels of the recordings mean in other sets, by anatomy: written down here, apart from the alias tables.
PIG_IN_DUMAS = {
    "C7": "C7", "T10": "T10", "T12": "T12", "RASI": "RASIS", "LASI": "LASIS", "RKNE": "RLFE", "LKNE": "LLFE",
    "RANK": "RLM", "LANK": "LLM", "RHEE": "RCAL", "LHEE": "LCAL", "RELB": "RLHE", "LELB": "LLHE",
    "RMMA": "RMM", "LMMA": "LMM", "RHFB": "RFH", "LHFB": "LFH", "RTUB": "RTT", "LTUB": "LTT",
}  # fmt: skip
OPENSIM_IN_BIOMEC = {
    "R.ASIS": "CIAS_D", "L.ASIS": "CIAS_E", "V.Sacral": "PMCP", "R.Knee.Lat": "CLAT_D", "R.Knee.Med": "CMED_D",
    "L.Knee.Lat": "CLAT_E", "L.Knee.Med": "CMED_E", "R.Ankle.Lat": "ML_D", "R.Ankle.Med": "MM_D",
    "L.Ankle.Lat": "ML_E", "L.Ankle.Med": "MM_E", "R.Heel": "CALC_D", "L.Heel": "CALC_E", "Top.Head": "VC",
}  # fmt: skip
ABDUCTION = {
    "gu": "GH", "centelbow": "EJC", "EpL": "EL", "centpxt8": "PX-T8", "centijc7": "IJ-C7", "ij": "IJ", "ts": "TS",
    "aa": "AA", "ai": "AI",
}  # fmt: skip
SCAPULA = {
    "C7": "C7", "T10": "T10", "XYP": "PX", "CLAV_SC": "SC", "SCAP_IA": "AI", "SCAP_Cor": "PC", "ARM": "ARM",
    "EPI_med": "EM", "EPI_lat": "EL", "DELT": "DELT", "MET5": "MC5", "MET2": "MC2",
}  # fmt: skip


def certain(mapping, at_least=HIGH):
    return {s.label: s.target for s in mapping.suggestions if s.target is not None and s.confidence >= at_least}


def codes(mapping):
    return [notice.code for notice in mapping.notices]


# ------------------------------------------------------------------------------------------------------- real labels


@pytest.mark.parametrize("file", ["HC030A01.c3d", "HC030A05.c3d"])
def test_plug_in_gait_labels_are_themselves(file):
    trial = read_c3d(recording("gait_pig_pair", file))
    for mapping in (suggest_mapping(trial.markers.names, PIG), suggest_mapping(trial.markers.names, PIG, trial)):
        assert certain(mapping, 1.0) == {name: name for name in trial.markers.names}
        assert "markers-unmapped" not in codes(mapping)  # SACR stands for the posterior iliac spines
        assert not {"sides-exchanged", "place-contradicts-name", "duplicate-target"} & set(codes(mapping))


def test_model_outputs_among_the_labels_are_taken_for_no_marker():
    """All 311 points of the file, as a reader that does not know better would give them."""
    ezc3d = pytest.importorskip("ezc3d")
    points = ezc3d.c3d(str(recording("gait_pig_pair", "HC030A01.c3d")))["parameters"]["POINT"]
    labels = [*points["LABELS"]["value"], *points["LABELS2"]["value"]]
    assert len(labels) == 311
    found = certain(suggest_mapping(labels, PIG), 0.0)
    assert found == {label: label for label in labels[:65]}


def test_plug_in_gait_labels_in_the_set_of_dumas():
    trial = read_c3d(recording("gait_pig_pair", "HC030A01.c3d"))
    for mapping in (
        suggest_mapping(trial.markers.names, load_marker_set("dumas-isb")),
        suggest_mapping(trial.markers.names, load_marker_set("dumas-isb"), trial),
    ):
        assert certain(mapping) == PIG_IN_DUMAS


@pytest.mark.parametrize("file", ["subject01_static.trc", "subject01_walk1.trc"])
def test_opensim_labels(file):
    trial = read_trc(recording("gait_opensim2354", file))
    own = suggest_mapping(trial.markers.names, load_marker_set("opensim-gait2354"), trial)
    assert certain(own, 1.0) == {name: name for name in trial.markers.names}
    assert codes(own) == ([] if "static" in file else ["static-markers-unmapped"])
    there = {label: target for label, target in OPENSIM_IN_BIOMEC.items() if label in trial.markers}
    assert certain(suggest_mapping(trial.markers.names, FULL)) == there


def test_shoulder_labels():
    shoulder = load_marker_set("shoulder-isb")
    trial = read_trc(recording("shoulder_scapula", "ABD01.trc"))
    assert certain(suggest_mapping(trial.markers.names, shoulder)) == ABDUCTION
    trial = read_c3d(recording("shoulder_scapula", "scapula_clavicle_markers.c3d"))
    mapping = suggest_mapping(trial.markers.names, shoulder)
    assert certain(mapping) == SCAPULA
    # SCAP_AA lies 118 mm from the inferior angle and far from the acromion: whatever it is, it is not the angle AA
    assert mapping["SCAP_AA"].confidence < ACCEPT
    assert mapping["MAN"].target == "IJ"  # near, not the same
    assert ACCEPT > mapping["MAN"].confidence > 0.0
    prefixed = suggest_mapping([f"Martin:{name}" for name in trial.markers.names], shoulder)
    assert {label.removeprefix("Martin:"): target for label, target in certain(prefixed).items()} == SCAPULA


# ---------------------------------------------------------------------------------------------------------- spellings


@pytest.mark.parametrize(
    ("label", "target"),
    [
        ("RASI", "CIAS_D"),
        ("r_asis", "CIAS_D"),
        ("Left ASIS", "CIAS_E"),
        ("ASIS-L", "CIAS_E"),
        ("Maria:LASI", "CIAS_E"),
        ("CIASD", "CIAS_D"),
        ("CIAS_Esquerda", "CIAS_E"),
        ("ciás_e", "CIAS_E"),
        ("AuxTE", "AuxT_E"),
        ("CLBR-D-11", "CLBR_D_11"),
        ("clbr_e_22", "CLBR_E_22"),
        ("PC_D", "PCOR_D"),
        ("c7", "C7"),
        ("LHEE", "CALC_E"),  # the left heel, not a "left" LHE with an E behind it
    ],
)
def test_spellings(label, target):
    suggestion = suggest_mapping([label], FULL)[label]
    assert suggestion.target == target
    assert suggestion.confidence >= HIGH
    assert suggestion.reason


@pytest.mark.parametrize("label", ["", "*12", "RS", "D", "X1", "Table", "MT3_D", "MT9", "CentreOfMass", "ASIS", "T9"])
def test_labels_that_mean_nothing_here(label):
    assert suggest_mapping([label], FULL)[label].target is None


def test_slips_of_the_pen_are_offered_but_not_taken():
    suggestion = suggest_mapping(["R.Acromuim", "R.Tihgh.Upper"], load_marker_set("opensim-gait2354"))
    for label, target in (("R.Acromuim", "R.Acromium"), ("R.Tihgh.Upper", "R.Thigh.Upper")):
        assert suggestion[label].target == target
        assert suggestion[label].confidence < ACCEPT


@pytest.mark.parametrize("name", shipped_marker_sets())
def test_every_set_knows_its_own_labels_in_any_case(name):
    marker_set = load_marker_set(name)
    lower = [label.lower() for label in marker_set.names]
    mapping = suggest_mapping(lower, marker_set)
    assert {s.label: s.target for s in mapping.suggestions} == dict(zip(lower, marker_set.names, strict=True))
    assert min(s.confidence for s in mapping.suggestions) >= HIGH


@pytest.mark.parametrize("name", shipped_marker_sets())
def test_no_alias_of_a_set_means_two_markers(name):
    marker_set = load_marker_set(name)
    for marker in marker_set.markers:
        for alias in marker.aliases:
            label = alias if marker.side is None else marker_set.sides.write(alias, marker.side)
            suggestion = suggest_mapping([label], marker_set)[label]
            assert suggestion.target == marker.name, label
            assert suggestion.confidence >= HIGH, label


# --------------------------------------------------------------------------------------------- duplicates and absences


def test_two_labels_for_one_marker_are_reported():
    mapping = suggest_mapping(["RASI", "R.ASIS", "C7"], PIG)
    assert mapping["RASI"].target == "RASI"
    assert mapping["R.ASIS"].target is None
    (notice,) = [n for n in mapping.notices if n.code == "duplicate-target"]
    assert notice.about == ("RASI", "R.ASIS")


def test_two_equal_claims_are_not_decided_with_confidence():
    mapping = suggest_mapping(["r_asis", "Right ASIS"], FULL)
    assert certain(mapping, ACCEPT) == {}
    assert "duplicate-target" in codes(mapping)


def test_missing_markers_are_named():
    labels = [name for name in PIG.names if name not in ("RKNE", "RMMA", "SACR")]
    (notice,) = [n for n in suggest_mapping(labels, PIG).notices if n.code == "markers-unmapped"]
    assert notice.about == ("RKNE",)  # RMMA is optional


# ------------------------------------------------------------------------------------------------------------ geometry


@pytest.mark.parametrize("heading", [0.0, 1.0, 2.5, 4.0])
def test_exchanged_sides_are_seen_from_places(heading):
    names, p = standing(PIG)
    c, s = np.cos(heading), np.sin(heading)
    turned = p @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]).T
    trial = make_trial(names, turned[None])
    assert codes(suggest_mapping(names, PIG, trial)) == []
    other = make_trial([PIG.mirrored(name) for name in names], turned[None])
    assert "sides-exchanged" in codes(suggest_mapping(other.markers.names, PIG, other))


def test_a_label_in_another_markers_place_loses_its_confidence():
    names, p = standing(PIG)
    knee, head = names.index("RKNE"), names.index("RFHD")
    p[[knee, head]] = p[[head, knee]]
    mapping = suggest_mapping(names, PIG, make_trial(names, p[None]))
    assert {n.about for n in mapping.notices if n.code == "place-contradicts-name"} == {("RKNE",), ("RFHD",)}
    assert mapping["RKNE"].confidence < ACCEPT
    assert "RFHD" in mapping["RKNE"].reason
    assert mapping["LKNE"].confidence == 1.0


def test_raised_arms_contradict_nothing():
    names, p = standing(PIG)
    for name in names:
        if PIG[name].segments[0].endswith(("arm", "hand")):
            k = names.index(name)
            side = np.sign(p[k, 2])
            p[k] = [p[k, 0], 1.43, side * (0.18 + abs(1.43 - p[k, 1]))]
    mapping = suggest_mapping(names, PIG, make_trial(names, p[None]))
    assert codes(mapping) == []


def test_places_alone_suggest_landmarks_without_certainty():
    """Labels P0, P1 … of a standing person, 1.6 m tall and turned: most are told, hardly any wrongly, none surely."""
    dumas = load_marker_set("dumas-isb")
    names, p = standing(dumas)
    rng = np.random.default_rng(4)
    p = p * 1.6 / 1.75 + rng.normal(scale=0.008, size=p.shape)
    turned = p @ np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]).T
    labels = [f"P{k}" for k in range(len(names))]
    mapping = suggest_mapping(labels, dumas, make_trial(labels, turned[None]))
    suggested = {s.label: s.target for s in mapping.suggestions if s.target is not None}
    right = sum(target == names[int(label[1:])] for label, target in suggested.items())
    assert len(suggested) > len(names) / 2
    assert right >= 0.9 * len(suggested)
    assert certain(mapping, ACCEPT) == {}


def test_a_lying_subject_is_not_compared_with_a_standing_one():
    trial = static_trial(FULL, frames=1, up="+z")  # X is up in truth
    mapping = suggest_mapping(trial.markers.names, FULL, trial)
    assert "geometry-not-used" in codes(mapping)


# --------------------------------------------------------------------------------------------------------- application


def test_a_mapping_renames_and_says_so():
    trial = make_trial(("RASI", "LASI", "ball"), np.zeros((3, 3, 3)))
    mapped = apply_mapping(trial, suggest_mapping(trial.markers.names, FULL))
    assert mapped.markers.names == ("CIAS_D", "CIAS_E", "ball")
    assert "2 labels of walk.c3d were renamed" in mapped.notices[-1].sentence
    assert trial.markers.names == ("RASI", "LASI", "ball")


def test_a_profile_with_subject_prefixes_fits_names_without_them():
    profile = LabelMap("lab", "biomec-full", {"Ann:RASI": "CIAS_D"})
    assert apply_mapping(make_trial(("RASI",), np.zeros((1, 1, 3))), profile).markers.names == ("CIAS_D",)


def test_a_word_before_all_labels_is_no_part_of_them():
    """A static with B_LASI, B_RASI … fitted no marker set."""
    names = [marker.name for marker in PIG.markers if not marker.optional]
    for word in ("B_", "Subject 7 - ", "trial1."):
        suggested = suggest_mapping([word + name for name in names], PIG).accepted()
        assert dict(suggested.targets) == {word + name: name for name in names}
    assert common_prefix(["L_IAS", "R_IAS", "L_FLE", "R_FLE", "L_FAL", "R_FAL"]) == ""
    assert common_prefix([f"R.{name}" for name in ("ASIS", "PSIS", "Knee", "Ankle", "Heel", "Toe")]) == ""
    assert common_prefix(["B_LASI", "B_RASI"]) == ""  # two labels are no habit


def test_a_mapping_that_would_give_one_name_twice_is_refused():
    trial = make_trial(("RASI", "CIAS_D"), np.zeros((1, 2, 3)))
    with pytest.raises(BiomecError, match=r"RASI and CIAS_D would both be called CIAS_D"):
        apply_mapping(trial, LabelMap("lab", "biomec-full", {"RASI": "CIAS_D"}))


def test_a_profile_of_the_accepted_suggestions():
    profile = suggest_mapping(["RASI", "CLAV", "ball"], FULL).accepted(name="lab")
    assert dict(profile.targets) == {"RASI": "CIAS_D"}  # CLAV is near IJ, and waits for the user
    assert profile.ignored == ("ball",)


# ---------------------------------------------------------------------------------- labels of widely used protocols

# As laboratories and published recordings spell them; a "*" is either side.
PROTOCOLS = {
    "bts-davis": "c7,* should,sacrum,* asis,* thigh,* bar 1,* knee 1,* bar 2,* mall,* heel,* met",
    "ior-cast": "*_IAS,*_IPS,SNJ,SXS,TV8,CV7,*_SAJ,*_HLE,*_UHE,*_RSP,*_USP,*_HM2,*_FTC,*_TTC,*_FAL,*_FCC,*_FLE,*_FME,"
    "*_FAX,*_TAM,*_FM1,*_FM2,*_FM5",
    "opensim-rajagopal": "*.ASIS,*.PSIS,S2,*.TH1,*.TH2,*.Knee,*.MKnee,*.SH1,*.Ankle,*.MAnkle,*.MT5,*.Heel,*.Toe,C7,"
    "*.Shoulder,*.Elbow,*.Wrist",
    "opencap": "r.ASIS_study,L.ASIS_study,r.PSIS_study,L.PSIS_study,r_knee_study,r_mknee_study,r_ankle_study,"
    "r_mankle_study,r_toe_study,r_5meta_study,r_calc_study,C7_study,r_shoulder_study,r_lelbow_study,r_melbow_study,"
    "r_lwrist_study,RHJC_study,r_thigh1_study,r_sh1_study",
    "dumas-isb": "HV,SEL,SUP,STR,*LHE,*MHE,*US,*RS,*GT,*LFE,*MFE,*LM,*SPH,*CAL,*MFH1,*MFH5,*TT2,*ASIS,*PSIS,C7",
    "plug-in-gait": "*ASI,*PSI,*THI,*THAP,*THAD,*KNE,*KNM,*TIB,*TIAP,*TIAD,*ANK,*MED,*HEE,*TOE,*FMH,*SMH,*VMH",  # CGM 2
    "plug-in-gait, older CGM 2": "*ASI,*PSI,*THI,*THIAP,*THIAD,*KNE,*TIB,*TIBAP,*TIBAD,*ANK,*HEE,*TOE",
    "plug-in-gait, Oxford foot": "*ASI,SACR,*THI,*KNE,*HFB,*TUB,*TIB,*SHN,*ANK,*MMA,*HEE,*PCA,*LCA,*STL,*P1M,*P5M,"
    "*D1M,*D5M,*TOE,*HLX",
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_labels_of_widely_used_protocols_are_all_known(protocol):
    """The set is found by itself, and every label is taken without asking, each as another marker."""
    sides = "rl" if protocol == "bts-davis" else "RL"
    patterns = PROTOCOLS[protocol].split(",")
    labels = [one.replace("*", side) for one in patterns for side in (sides if "*" in one else " ")]
    chosen, enough = best_marker_set(labels)
    assert (chosen.name, enough) == (protocol.partition(",")[0], True)
    mapping = suggest_mapping(labels, chosen)
    assert set(certain(mapping)) == set(labels)
    assert len(set(certain(mapping).values())) == len(labels)


def test_a_profile_of_exceptions_keeps_the_aliases_for_the_rest():
    """A profile that listed one label lost all others that are not spelled as in the set."""
    labels = ("Ann:R_IAS", "LASIS", "SACR", "odd knee", "LKNE", "RANK", "ball", "RTOE")
    profile = LabelMap("ours", "plug-in-gait", {"odd knee": "RKNE"}, ("ball",))
    assert completed(profile, labels, PIG).targets == {
        "Ann:R_IAS": "RASI", "LASIS": "LASI", "SACR": "SACR", "odd knee": "RKNE", "LKNE": "LKNE", "RANK": "RANK",
        "RTOE": "RTOE",
    }  # fmt: skip
    # what the profile says comes first: the label that looks like the marker gets no second meaning
    taken = completed(LabelMap("ours", "plug-in-gait", {"R_IAS": "LASI"}), ("R_IAS", "LASIS"), PIG)
    assert taken.targets == {"R_IAS": "LASI"}


def test_a_profile_brings_its_marker_set():
    trial = static_trial(PIG)
    names = tuple("odd knee" if name == "RKNE" else name for name in trial.markers.names)
    odd = make_trial(names, trial.markers.p_WM)
    profile = LabelMap("ours", "plug-in-gait", {"odd knee": "RKNE"})
    prepared = preparation(Session(odd, odd), PreparationSettings(label_map=profile))
    assert prepared.marker_set.name == "plug-in-gait"
    assert prepared.dynamic.markers.names == trial.markers.names
