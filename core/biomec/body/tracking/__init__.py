"""A recorded movement simulated: controllers that follow it, contact of the limbs, and what would change if."""
