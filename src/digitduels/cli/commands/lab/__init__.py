"""`duels lab`: measures rule sets and searches for better ones."""

COMMANDS = {
    "report": "Show who wins with a rule set and how, and how fair, deep and tense it is.",
    "compare": "Show two or more rule sets side by side.",
    "lint": "Say what is wrong with a rule set, with lines of play that show it.",
    "sweep": "Measure every rule set of a grid and write a Parquet file.",
    "search": "Search for rule sets that are fair and deep.",
}
EXAMPLES = (
    "duels lab report number-duel",
    "duels lab compare number-duel number-duel:repaired",
    "duels lab lint operation-target",
    "duels lab sweep number-quest --set target=20..60 --set highest=3..5 --out quest.parquet",
    "duels lab search number-duel --for fair,deep --near book",
)
