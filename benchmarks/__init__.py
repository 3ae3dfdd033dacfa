"""Benchmarks, as ratios measured in one run: `python -m benchmarks` prints them and updates the tables in docs/."""
