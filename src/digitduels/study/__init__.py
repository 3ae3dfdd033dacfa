"""What a solution tells people: hints, reviews, puzzles, fair starts, maps and theory."""
