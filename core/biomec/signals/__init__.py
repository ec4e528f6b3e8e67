"""Clean signals with their quality: reconstruction, filtering, derivatives, cycles, events, EMG, contacts."""
