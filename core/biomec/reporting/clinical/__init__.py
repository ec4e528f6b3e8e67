"""The clinical report: visits of a person, pages of blocks about them; writers are the desktop program's."""
