"""A prosthetic leg in the swing phase: thigh driven, knee with spring, damper and stop, shank and foot that follow.

`swing` simulates, `readouts` tells what a designer wants to know, `impact_study` lets the stop be hard,
`published_steps` repeats the short cuts of a published program for comparison, `damper_study` searches good dampers.
Nothing here is tied to four bars: every planar machine with a stop can be asked.
"""
