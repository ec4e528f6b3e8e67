"""Motion that obeys a body model: consistent coordinates, motion of the segments, joint angles."""
