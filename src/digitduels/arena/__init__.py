"""Players against each other: games, tournaments, ratings with confidence intervals, and exact grades."""
