"""A person as a multibody system: landmarks, joint centres, segment frames, inertia, scapulothoracic contact, models."""
