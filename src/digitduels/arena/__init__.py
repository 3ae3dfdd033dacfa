"""Contests between players: games, tournaments, ratings with confidence intervals, and exact grades."""
