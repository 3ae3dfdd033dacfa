"""`duels suite`: the frozen benchmark for language models."""

COMMANDS = {
    "run": "Ask models for a move in every position, and print their results.",
    "report": "Print the results in logs, or write them with plots.",
    "reference": "Print the exact results of random moves, simple rules, the levels, short searches and perfect play.",
    "private": "Make a private twin of suite-v2, with other rule sets and positions.",
    "package": "Write the benchmark as a dataset to publish: rows, a card, Croissant and eval.yaml.",
}
EXAMPLES = (
    "duels suite run openai/gpt-5 --logs logs",
    "duels suite run digitduels/random --limit 20",
    "duels suite report logs --out results",
    "duels suite private --seed 4711 --out private.json",
    "duels suite reference",
)
