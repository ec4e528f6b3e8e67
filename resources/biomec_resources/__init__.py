"""Data that come with Biomec: models, marker sets, inertia tables, muscles, demonstrations, icons, translations."""

from importlib.resources import files
from importlib.resources.abc import Traversable

__all__ = ["resource"]


def resource(*parts: str) -> Traversable:
    """The shipped file or folder at `parts`, for example `resource("models", "m21.toml").read_text("utf-8")`.

    It works from a checkout, from an installed wheel and from a bundle. Where a path on disk is needed, wrap it in
    `importlib.resources.as_file`.
    """
    found = files(__name__).joinpath(*parts)
    if not (found.is_file() or found.is_dir()):
        raise FileNotFoundError(f"Biomec ships no resource called {'/'.join(parts)}.")
    return found
