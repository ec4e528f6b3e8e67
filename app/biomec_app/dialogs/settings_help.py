"""What every setting is called, in which unit it is shown, and what it does: one line a field. Knows no Qt.

Keys are ``Class.field`` of the frozen options of the library; a test checks that none is missing.
"""

# ruff: noqa: E501  (a table reads best with one line a field)

from __future__ import annotations

from dataclasses import dataclass

MM, PERCENT, DEGREES = 1e3, 100.0, 57.29577951308232


@dataclass(frozen=True)
class Explained:
    """A field for people.

    unit, scale : shown number = scale × value, followed by the unit
    digits      : after the point
    least       : smallest number that can be entered, as shown; None for any
    plain       : numbers that span many powers of ten are typed, not stepped
    """

    label: str
    help: str
    unit: str = ""
    scale: float = 1.0
    digits: int = 2
    least: float | None = 0.0
    plain: bool = False


_E = Explained

HELP: dict[str, Explained] = {
    # ------------------------------------------------------------------------------------------------- groups of fields
    "SignalSettings.static": _E("Static acquisition", "How the pose of the static acquisition is taken."),
    "SignalSettings.reconstruction": _E("Lost markers", "How markers that the cameras lost are rebuilt."),
    "SignalSettings.marker_filter": _E("Filter of the markers", "Low-pass filter without delay; off leaves markers as they are."),
    "SignalSettings.plate_filter": _E("Filter of the force plates", "Low-pass filter without delay; off leaves forces as they are."),
    "SignalSettings.contacts": _E("Contacts with the plates", "When a hand or foot is on a plate."),
    "SignalSettings.assignment": _E("Whose contact it is", "How a contact is given to a hand or foot."),
    "SignalSettings.by_hand": _E("Contacts given by hand", "Chosen in Edit ▸ Plate Assignment; they come before what is found."),
    "FilterOptions.residual": _E("Residual analysis", "How the cut-off is sought in the signal itself."),
    "AssignOptions.touch": _E("Resting on the ground", "What counts as resting."),
    "BodySettings.options": _E("Fit to the person", "How the model gets its lengths, centres and masses."),
    "ModelOptions.inertia": _E("Masses and inertia", "Table that gives mass, centre of mass and inertia of every segment."),
    "ModelOptions.ellipsoid": _E("Ribcage under the scapulae", "Ellipsoid on which the shoulder blades glide."),
    "ConsistencyOptions.weights": _E("Weights", "How strongly measurements hold what they measured."),
    "ConsistencyOptions.position": _E("Solution of the positions", "When a frame counts as solved."),
    "ConsistencyOptions.projection": _E("Projection of velocities and accelerations", "How they are made to obey the model."),
    "CycleSettings.options": _E("Borders of cycles", "What counts as the border between two cycles."),
    # ------------------------------------------------------------------------------------------------------ preparation
    "PreparationSettings.marker_set": _E("Marker set", "Protocol that the labels belong to; it says which markers move together."),
    "PreparationSettings.label_map": _E("Own mapping of labels", "A laboratory's own names for the markers; chosen in Edit ▸ Labels."),
    # ---------------------------------------------------------------------------------------------------------- signals
    "StaticPoseOptions.largest_deviation_m": _E("Largest movement", "Frames of the static in which a distance within a segment leaves its median by more are not used.", "mm", MM, 1),
    "ReconstructionOptions.pose": _E("Pose of a segment", "From the largest triangle of markers, or from all markers by least squares."),
    "ReconstructionOptions.gap_limit_s": _E("Longest gap to interpolate", "Longer gaps that no other markers can close stay open.", "s"),
    "ReconstructionOptions.smallest_height_m": _E("Lowest triangle", "A triangle of markers lower than this is nearly a line and is not used.", "mm", MM, 1),
    "ReconstructionOptions.largest_rms_m": _E("Largest error of rebuilding", "A marker whose rebuilt place is further off (root mean square) is told.", "mm", MM, 1),
    "FilterOptions.choice": _E("Cut-off", "Found for every channel by residual analysis, or one value for all."),
    "FilterOptions.cutoff_hz": _E("Fixed cut-off", "Used where the cut-off is fixed.", "Hz"),
    "FilterOptions.manual": _E("Cut-offs by hand", "One a line: name = Hz, or name = X Y Z; they come before every other."),
    "FilterOptions.shared": _E("One cut-off for all components", "The highest of X, Y and Z is taken for the whole marker or plate."),
    "ResidualOptions.lowest_hz": _E("Lowest cut-off tried", "Where the search begins.", "Hz", digits=4),
    "ResidualOptions.highest_hz": _E("Highest cut-off tried", "Where the search ends; never above 0.4 of the sampling rate.", "Hz"),
    "ResidualOptions.step_hz": _E("Step", "Between the cut-offs that are tried.", "Hz", digits=4),
    "ResidualOptions.correlation": _E("Straightness of the tail", "The noise begins where residual and cut-off correlate more than this.", digits=3),
    "ResidualOptions.floor_hz": _E("Smallest cut-off used", "A channel that hardly moves asks for almost none.", "Hz"),
    "ResidualOptions.tail_points": _E("Fewest points of the tail", "So many cut-offs must lie on the line of the noise."),
    "ContactOptions.threshold_n": _E("Contact begins above", "Vertical force at which a contact begins.", "N", digits=1),
    "ContactOptions.hysteresis_n": _E("Hysteresis", "A contact ends when the force falls so far below the threshold.", "N", digits=1),
    "ContactOptions.minimum_s": _E("Shortest contact", "Shorter loadings are not contacts.", "s", digits=3),
    "ContactOptions.join_gap_s": _E("Join contacts closer than", "Two contacts with a shorter pause are one.", "s", digits=3),
    "ContactOptions.offset": _E("Reading of the empty plate", "Keep it, take its mean off, or take its line in time off."),
    "ContactOptions.offset_limit_n": _E("Report an empty plate above", "A larger reading or drift without load is told.", "N", digits=1),
    "AssignOptions.limit_m": _E("Farthest segment", "A hand or foot farther from the centre of pressure does not carry the force.", "mm", MM, 0),
    "AssignOptions.spread_m": _E("Distances that do not decide", "Distances that differ by less leave the choice open.", "mm", MM, 0),
    "AssignOptions.shared_s": _E("Longest shared contact", "Two segments on one plate for longer share it.", "s", digits=3),
    "AssignOptions.sure": _E("Sure enough", "A confidence below this is told.", "%", PERCENT, 0),
    "TouchOptions.height_m": _E("Height above the ground", "The lowest marker of a resting hand or foot is below this.", "mm", MM, 0),
    "TouchOptions.speed_m_s": _E("Speed over the ground", "The slowest marker of a resting hand or foot is slower.", "m/s"),
    "TouchOptions.floor_velocity": _E("Velocity of the ground", "Of a treadmill's belt, X Y Z in laboratory axes.", "m/s", least=None),
    # ------------------------------------------------------------------------------------------------------------- body
    "BodySettings.model": _E("Model", "Segments, joints and angles of the body."),
    "ModelOptions.centres": _E("Joint centres", "Method for every centre; otherwise the model's own is taken."),
    "ModelOptions.points": _E("Functional centres", "Found in movements made for it; they replace the methods."),
    "ModelOptions.axes": _E("Functional axes", "Axes of hinges found in movements made for it."),
    "ModelOptions.universal_zero": _E("Crossed axes at exactly 90°", "Universal joints as printed in the source; otherwise they keep the angle of the static pose."),
    "ModelOptions.without": _E("Segments to leave out", "Names with commas between them; what hangs on them drops out too."),
    "InertiaOptions.table": _E("Inertia table", "Published masses, centres and tensors."),
    "InertiaOptions.rescale": _E("Scale to the body mass", "All masses by one factor, so that the body weighs what the person weighs."),
    "InertiaOptions.torso": _E("Torso", "How the tensor of the torso is taken; auto takes the first that is possible."),
    "InertiaOptions.girdle": _E("Shoulder girdle", "Masses of clavicles and scapulae."),
    "InertiaOptions.forearm_ulna_share": _E("Ulna's share of the forearm", "Where a model has ulna and radius.", "%", PERCENT, 0),
    "EllipsoidOptions.preset": _E("Ellipsoid", "Published shape of the ribcage."),
    "EllipsoidOptions.rule": _E("Brought to the scapula by", "Every contact its own larger ellipsoid, or one that is fitted to all."),
    "EllipsoidOptions.centre": _E("Own centre", "X Y Z from IJ on the right side, instead of the preset's; empty takes the preset's.", "mm", MM, 1, None),
    "EllipsoidOptions.radii": _E("Own half axes", "X Y Z, instead of the preset's; empty takes the preset's.", "mm", MM, 1),
    # ------------------------------------------------------------------------------------------------------ consistency
    "ConsistencyOptions.method": _E("Method", "Nearest consistent coordinates, or global optimisation on the markers."),
    "ConsistencyOptions.contacts": _E("Hands and feet on plates", "When they are held at the centre of pressure."),
    "ConsistencyOptions.threshold_n": _E("Held above", "Force at which a hand or foot begins to be held.", "N", digits=1),
    "ConsistencyOptions.hysteresis_n": _E("Hysteresis", "It is let go when the force falls so far below.", "N", digits=1),
    "ConsistencyOptions.metric": _E("Metric", "Velocities and accelerations are projected by the masses, or with all coordinates alike."),
    "ConsistencyOptions.scheme": _E("Derivatives", "Central differences, or a quintic spline through the samples."),
    "WeightOptions.kind": _E("Kind of weights", "All alike, by their variation, or by the tables below."),
    "WeightOptions.segments": _E("Weights of segments", "One a line: segment = weight; * hand means both sides."),
    "WeightOptions.markers": _E("Weights of markers", "One a line: marker = weight; 0 leaves a marker out."),
    "WeightOptions.lower": _E("Smallest weight", "Bound of weights by variation.", digits=3),
    "WeightOptions.upper": _E("Largest weight", "Bound of weights by variation.", digits=1),
    "WeightOptions.rebuilt": _E("Weight of rebuilt samples", "In global optimisation; they repeat what measured markers say.", digits=2),
    "PositionOptions.alpha": _E("Penalty", "Factor of the violated constraints; larger is stricter.", plain=True),
    "PositionOptions.tolerance": _E("Tolerance", "Largest violation ‖Φ‖ of a solved frame.", plain=True),
    "PositionOptions.max_iterations": _E("Most iterations", "A frame that needs more is not solved."),
    "PositionOptions.step_tolerance": _E("Tolerance of the step", "Largest last step ‖Δq‖ in global optimisation.", plain=True),
    "ProjectionOptions.alpha": _E("Penalty", "Factor of the violated constraints; larger is stricter.", plain=True),
    "ProjectionOptions.passes": _E("Passes", "Solutions with one factorisation; 1 is the pure penalty."),
    # ------------------------------------------------------------------------------------------------------------ angles
    "AngleOptions.convention": _E("Convention", "How angles are decomposed; joints without angles by it keep the standard ones."),
    "AngleOptions.subtract_static": _E("Count from the static pose", "Otherwise angles count from aligned axes."),
    "AngleOptions.gimbal_limit_deg": _E("Flag near the singularity", "Angles nearer to it are flagged as unreliable.", "°", digits=1),
    "AngleOptions.unwrap": _E("Continue beyond ±180°", "Curves go on instead of jumping by a whole turn."),
    # ------------------------------------------------------------------------------------------------------------ cycles
    "CycleSettings.by": _E("Cycles by", "Steps, or the minima of an angle that is averaged over both sides."),
    "CycleOptions.prominence": _E("Depth of a minimum", "It must lie so far below the signal on both sides.", "°", DEGREES, 1),
    "CycleOptions.duration_s": _E("Shortest cycle", "Nearer borders are one.", "s"),
    "CycleOptions.ends": _E("Ends of the recording are borders", "If they are as low as the other minima."),
    # ---------------------------------------------------------------------------------------------------------- inverse
    "InverseOptions.method": _E("Multibody method", "Runs beside Newton-Euler; both give the same loads of a consistent motion."),
    "InverseOptions.constraints": _E("Joints", "Ball joints leave all torques to the muscles; all constraints also give the force between scapula and ribcage."),
    "InverseOptions.external": _E("Ground reaction", "Measured by the plates, computed from the motion, or left to the residual."),
    "InverseOptions.root": _E("Segment with the residual", "Carries what motion, masses and plates leave unexplained."),
    "InverseOptions.reduction": _E("Reduce residuals", "Adjust masses and motion within their errors so that they agree with the plates. Every change is told; Dynamics ▸ Reduce Residuals shows it before it is made."),
    "LoadReading.method": _E("Method", "Multibody knows what the ribs bear where all constraints are kept; otherwise both give the same."),
    "LoadReading.axes": _E("Axes", "Axes of the joint's angles, of a segment, or of the laboratory."),
    "LoadReading.convention": _E("Sign", "Internal: what joint, muscles and ligaments do to the distal segment; external: the load that they resist."),
    "LoadReading.normalisation": _E("Scale", "As they are, by body mass, or by body weight (moments: and height)."),
    "LoadReading.angles": _E("Axes of a joint by", "Convention of the angles whose axes are the joint axes."),
    "ReductionOptions.inertia": _E("Masses and centres of mass", "As near to the table as the plates allow."),
    "ReductionOptions.motion": _E("Motion", "Small smooth shifts and turns of the whole body, and a lean of the trunk."),
    "MassOptions.mass": _E("Largest change of a mass", "As a part of the segment's mass.", "%", PERCENT, 0),
    "MassOptions.centre_m": _E("Largest shift of a centre of mass", "Along each axis of the segment.", "mm", MM, 0),
    "MassOptions.expected": _E("Usual error of the table", "As a part of these limits; what the residual does not tell stays as it is.", "%", PERCENT, 0),
    "MassOptions.force_n": _E("Force that noise explains", "A residual below this changes nothing.", "N", digits=1),
    "MassOptions.moment_nm": _E("Moment that noise explains", "A residual below this changes nothing.", "N·m", digits=1),
    "MassOptions.total": _E("Mass of the whole body", "May change, stays, or becomes what the plates weigh."),
    "MotionOptions.shift_m": _E("Usual shift", "Of the whole body.", "mm", MM, 1),
    "MotionOptions.turn_rad": _E("Usual turn", "Of the whole body, and of the trunk.", "°", DEGREES, 2),
    "MotionOptions.marker_m": _E("Largest movement of markers", "Root mean square; corrections are damped until they keep it.", "mm", MM, 1),
    "MotionOptions.knot_s": _E("Fastest change", "Corrections change no faster than this.", "s", digits=2),
    "MotionOptions.force_n": _E("Force that is small enough", "Residuals below it are not corrected further.", "N", digits=1),
    "MotionOptions.moment_nm": _E("Moment that is small enough", "Residuals below it are not corrected further.", "N·m", digits=1),
    "MotionOptions.lean": _E("Trunk leans about", "Joint about which everything above it leans."),
}  # fmt: skip

PAGES: dict[str, tuple[str, str]] = {
    "preparation": ("Labels", "Which marker set the recording uses."),
    "signals": ("Signals", "From markers and plates as measured to clean ones."),
    "body": ("Body model", "The model, and how it is fitted to the person."),
    "consistency": ("Consistency", "How measured motion is made to obey the model."),
    "angles": ("Joint angles", "How angles are reported."),
    "cycles": ("Cycles", "What repeats in the movement."),
    "inverse": ("Inverse dynamics", "How the loads of the joints are computed."),
    "load_reading": ("Joint loads", "How plots, tables and report tell the loads; nothing is computed again."),
}
"""Field of `AnalysisSettings` -> title of its page and what it is about."""

WORDS: dict[str, str] = {
    "triad": "largest triangle of markers", "least_squares": "all markers, least squares",
    "residual": "by residual analysis", "fixed": "one value for all",
    "keep": "keep", "remove": "take its mean off", "remove with drift": "take its line in time off",
    "coordinates": "nearest consistent coordinates", "markers": "global optimisation on the markers",
    "steady": "held if they stay on it throughout", "threshold": "held while the force is high", "always": "held in every frame of a contact", "never": "never held",
    "identity": "all alike", "sigma-mu": "by variation (σ/|μ|)", "table": "by the tables below",
    "mass": "by the masses", "central": "central differences", "spline": "quintic spline",
    "auto": "automatic", "events": "foot strikes", "none": "none",
    "split-2018": "thorax and abdomen of 2018", "diagonal": "2007, without products of inertia",
    "literal": "as printed", "proportional": "0.18 % and 0.82 % of the body mass",
    "quental-2012": "Quental 2012: 0.2 kg and 1.4 kg", "dilate": "an ellipsoid for every contact",
    "newton": "Newton's equations with multipliers", "lagrange": "Lagrange's equations with guides",
    "velocity": "velocity transformation", "spherical": "as ball joints", "all": "with all their constraints",
    "plates": "measured by the plates", "estimated": "computed from the motion",
    "free": "may change", "kept": "stays", "lumbar": "the lumbar joint",
    "joint": "axes of the joint", "proximal": "axes of the proximal segment", "distal": "axes of the distal segment",
    "laboratory": "axes of the laboratory", "internal": "internal", "external": "external",
    "multibody": "multibody", "Newton-Euler": "Newton-Euler",
    "fit": "one fitted ellipsoid", "standard": "standard", "isb": "ISB", "plug-in-gait": "Plug-in Gait",
}  # fmt: skip
"""Options -> what the window calls them."""

CENTRES: dict[str, str] = {
    "CAC": "Cervical joint (CAC)", "CAQ_*": "Hips (CAQ)", "GU_*": "Shoulders (GU)", "PME_*": "Elbows (PME)",
    "CAP_*": "Wrists (CAP)", "PMCH_*": "Hands (PMCH)", "KJC_*": "Knees (KJC)", "PMM_*": "Malleoli (PMM)",
    "CAT_*": "Ankles (CAT)", "CAL": "Lumbar joint (CAL)",
}  # fmt: skip
"""Centre -> what the window calls it."""
