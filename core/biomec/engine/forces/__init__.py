"""What acts on a mechanism: applied forces, springs, joint stops, contact with the ground, loads from outside."""
