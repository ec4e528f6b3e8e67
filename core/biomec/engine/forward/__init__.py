"""What would happen: forward dynamics with any formulation of the equations of motion and any integrator."""
