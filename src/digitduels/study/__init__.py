"""What follows from the solution: fair starts, hints, reviews and puzzles."""
