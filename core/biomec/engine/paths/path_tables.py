"""Flat tables of paths that compiled code reads, and what tracing fills."""

from __future__ import annotations

from typing import NamedTuple

from biomec.base.arrays import BoolArray, FloatArray, IntArray
from biomec.engine.paths.simm_spline import Curves

FIXED, CONDITIONAL, MOVING = 0, 1, 2
WORK = 17  # numbers of each contact: those of `surfaces`, then those of `one_contact`
TANGENTS, RANK, BEFORE = 7, 13, 14
MEMORY = 2 * BEFORE
"""Numbers of each contact that go from frame to frame: six of `surfaces`, the stretch it lies in, from TANGENTS the
tangent points in the axes of the surface, at RANK its place among the surfaces of the stretch; from BEFORE the same of
the frame before that."""
GIVING = 4  # numbers about a surface that gives way


class PathTables(NamedTuple):
    """Paths of M cords as flat tables, with N points, V possible contacts, S surfaces and P pairs.

    A pair is a cord and a body that it pulls on. All lengths are in m, angles in rad.

    point_first : (M + 1,) points of cord m from point_first[m] to point_first[m + 1], in the order of the path
    point_body, point_kind : (N,) body; FIXED, CONDITIONAL or MOVING
    point_local : (N, 3) in the body's axes; of a moving point where no curve is given
    point_coordinate : (N, 3) of a conditional point [:, 0], of a moving one for x, y, z; −1 for none
    point_range : (N, 2) a conditional point takes part where range[0] ≤ coordinate ≤ range[1]
    point_curve : (N, 3) curve of x, y, z of a moving point, −1 for a constant
    point_pair  : (N,)
    couple_pair : (N, 3, 2) pairs of the proximal and distal bodies of these coordinates
    curve       : the splines
    wrap_first  : (M + 1,) contacts of cord m
    wrap_surface, wrap_pair : (V,)
    wrap_range  : (V, 2) first and last point, within the cord, between which the surface may be touched
    wrap_side   : (V,) sense ±1 in which a cylinder must be passed, 0 where geometry decides
    wrap_gives  : (V,) whether an ellipsoid or a sphere shrinks where an end of the path lies within
    surface_kind, surface_body, surface_axis : (S,) `CYLINDER` …; active axis 0 to 2, −1 for none
    surface_sign   : (S,) side of that axis
    surface_centre : (S, 3), surface_attitude : (S, 3, 3) columns are the axes of the surface in the body
    surface_size   : (S, 3) radius and length of a cylinder, radius, semi-axes, radius of a ring's circle
    pair_first  : (M + 1,), pair_body : (P,)
    """

    point_first: IntArray
    point_body: IntArray
    point_kind: IntArray
    point_local: FloatArray
    point_coordinate: IntArray
    point_range: FloatArray
    point_curve: IntArray
    point_pair: IntArray
    couple_pair: IntArray
    curve: Curves
    wrap_first: IntArray
    wrap_surface: IntArray
    wrap_pair: IntArray
    wrap_range: IntArray
    wrap_side: FloatArray
    wrap_gives: BoolArray
    surface_kind: IntArray
    surface_body: IntArray
    surface_axis: IntArray
    surface_sign: FloatArray
    surface_centre: FloatArray
    surface_attitude: FloatArray
    surface_size: FloatArray
    pair_first: IntArray
    pair_body: IntArray


class Traced(NamedTuple):
    """What `trace` fills, for T frames.

    length  : (T, M) [m]
    speed   : (T, M) lengthening [m/s]
    pull    : (T, P, 6) force [-] and moment about the origin of the laboratory [m] of a unit tension on the pair's body
    status  : (T, M) bits of `surfaces`
    contact : (T, V, 6) tangent points in the axes of their surface [m], NaN where there is no contact
    place   : (T, V) place of the contact in the order of the path: index of the point before it within its cord, plus a
              fraction if several contacts follow the same point; −1 where there is none
    """

    length: FloatArray
    speed: FloatArray
    pull: FloatArray
    status: IntArray
    contact: FloatArray
    place: FloatArray
