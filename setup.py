"""What `pyproject.toml` cannot say: the pages of the manual, kept in docs, go among the resources of a package."""

from pathlib import Path
from shutil import copyfile

from setuptools import setup
from setuptools.command.build_py import build_py

MANUAL = ("*.md", "theory/*.md", "pictures/*.png")


class BuildWithManual(build_py):
    """Copy the manual beside the other resources; a checkout that is only linked reads docs itself."""

    def run(self) -> None:
        """Build, then copy."""
        super().run()
        if getattr(self, "editable_mode", False):
            return
        docs = Path(__file__).parent / "docs"
        for pattern in MANUAL:
            for page in sorted(docs.glob(pattern)):
                place = Path(self.build_lib, "biomec_resources", "manual", page.relative_to(docs))
                place.parent.mkdir(parents=True, exist_ok=True)
                copyfile(page, place)


setup(cmdclass={"build_py": BuildWithManual})
