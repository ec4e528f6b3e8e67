"""A person as a mechanism: anatomy, consistent motion, joint loads, and a recorded movement simulated."""
