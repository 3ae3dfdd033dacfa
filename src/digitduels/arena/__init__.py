"""Players against each other: games, tournaments, ratings with intervals, and grades by the exact truth."""
