"""What follows from the truth: fair starts, hints, reviews and puzzles."""
