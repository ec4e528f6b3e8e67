"""The floor: edges of tiles that fade into the background all around."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomec.base.arrays import FloatArray
from biomec_app.kit.colours import mixed, rgb
from biomec_app.viewer.actors import SurfaceActor

if TYPE_CHECKING:
    from biomec_app.kit.theme import Theme

TILE = 0.5  # m
FADE = 1.6  # m of floor beyond what is recorded


def floor_grid(reach: FloatArray, height: float, theme: Theme) -> SurfaceActor:
    """Edges of tiles under the places (K, 3) that a recording reaches, at a height [m]."""
    flat = reach[:, [0, 2]]
    low, high = flat.min(axis=0), flat.max(axis=0)
    middle, radius = 0.5 * (low + high), 0.5 * (high - low) + FADE
    first, last = np.floor((middle - radius) / TILE) * TILE, np.ceil((middle + radius) / TILE) * TILE
    x, z = (np.arange(a, b + 0.5 * TILE, 0.5 * TILE) for a, b in zip(first, last, strict=True))
    grid_x, grid_z = np.meshgrid(x, z, indexing="ij")
    points = np.stack([grid_x, np.full_like(grid_x, height - 0.004), grid_z], axis=-1)
    index = np.arange(grid_x.size).reshape(grid_x.shape)
    along_x = np.stack([index[:-1, ::2], index[1:, ::2]], axis=-1).reshape(-1, 2)
    along_z = np.stack([index[::2, :-1], index[::2, 1:]], axis=-1).reshape(-1, 2)
    far = np.hypot(*((np.stack([grid_x, grid_z]).reshape(2, -1) - middle[:, None]) / radius[:, None]))
    share = np.clip((1.0 - far) / 0.7, 0.0, 1.0) ** 1.3
    ink = np.round(255.0 * np.array(rgb(mixed(theme.floor, theme.text, 0.16))))
    edges = SurfaceActor(points.reshape(-1, 3), np.concatenate([along_x, along_z]), lines=True)
    edges.paint(np.concatenate([np.tile(ink, (len(share), 1)), np.round(255.0 * share)[:, None]], axis=1))
    return edges
