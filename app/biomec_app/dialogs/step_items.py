"""What items of menus that run one step of the analysis have in common."""

from __future__ import annotations

from dataclasses import replace

from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis, step_named
from biomec.pipeline.replay import settings_line
from biomec_app.kit.dialog_parts import opened
from biomec_app.session.action import needs_joints
from biomec_app.session.context import Context


def run_step(context: Context, step: str, **changes: object) -> None:
    """Run a step with changed options of its own; settings and result are one step that can be undone."""
    before = context.document.analysis.settings
    options = replace(getattr(before, step), **changes)
    after = replace(before, **{step: options})
    lines = [settings_line(before, after)] if after != before else []
    lines.append(f'analysis = analysis.run_until("{step}")')

    def work(found: Analysis, progress: Progress) -> Analysis:
        return found.with_settings(after).run_until(step, progress)

    context.analyse(step_named(step).title, work, "\n".join(lines))


def step_blocked(context: Context, step: str, **wanted: object) -> str | None:
    """Why a step that needs joints cannot run with these options, or need not."""
    reason = needs_joints(context)
    if reason is not None:
        return reason
    analysis = context.document.analysis
    options = getattr(analysis.settings, step)
    if analysis.is_current(step) and all(getattr(options, name) == value for name, value in wanted.items()):
        return "Its result is up to date. Change a setting to run it again."
    return None


def step_settings(context: Context, step: str) -> None:
    """Show the settings of a step."""
    from biomec_app.dialogs.settings import SettingsDialog

    opened(SettingsDialog(context, context.window, step))
