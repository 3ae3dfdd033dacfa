"""Evaluations of language models: prompts, parsing and grading of answers, and datasets of positions."""
