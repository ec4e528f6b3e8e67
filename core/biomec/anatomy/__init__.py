"""A person as a multibody system: landmarks, joint centres, frames, inertia, scapulothoracic contact, models."""
