"""`duels lab lint`: says what is wrong with a rule set, with lines of play that show it."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from digitduels.cli.arguments import add_game, add_options, read_game, size
from digitduels.cli.console import Console
from digitduels.cli.errors import FAILURE
from digitduels.cli.parser import Parser
from digitduels.cli.progress import interruptible, show_progress, stop
from digitduels.games import AnyGame
from digitduels.options import settings

if TYPE_CHECKING:
    from digitduels.lab.lint import Finding

EXAMPLES = (
    "duels lab lint operation-target",
    "duels lab lint number-duel --set copies=1 --json --fail-on warning",
)


def add_arguments(parser: Parser) -> None:
    add_game(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--fail-on",
        choices=["note", "warning", "error"],
        default="error",
        help="exit with status 1 if there is a finding of this severity or worse (default: error)",
    )
    parser.add_argument("--limit", type=size, metavar="SIZE", help="the memory it may use, such as 8GiB")
    add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    from digitduels.lab.lint import SEVERITIES

    rules = read_game(arguments.game, arguments.set, arguments.rules)
    findings, console = findings_on(rules, arguments.limit), Console()
    if arguments.json:
        answer = {"version": 1, "game": rules.id, "options": rules.values}
        console.write(json.dumps({**answer, "findings": [finding.to_dict() for finding in findings]}, indent=1))
    else:
        _say(console, rules, findings)
    worst = max((SEVERITIES.index(finding.severity) for finding in findings), default=-1)
    return FAILURE if worst >= SEVERITIES.index(arguments.fail_on) else 0


def findings_on(rules: AnyGame, limit: int | None = None) -> list[Finding]:
    """The findings about a rule set, with progress bars: theorems, measurements, and remedies."""
    from digitduels.lab.lint import lint, measured, ranked, with_remedies
    from digitduels.lab.measures import measure
    from digitduels.lab.stored_reports import stored_findings, stored_report

    stored = stored_findings(rules)
    if stored is not None:
        return stored
    try:
        with show_progress(rules.title) as progress:
            findings = interruptible(lambda: lint(rules, limit=limit, progress=progress))
            if any(finding.severity == "error" for finding in findings):
                return findings
            report = stored_report(rules) or interruptible(
                lambda: measure(rules, lengths=False, wobble=False, limit=limit, progress=progress)
            )
            findings = ranked([*findings, *measured(report)])
            return interruptible(lambda: with_remedies(rules, findings, progress=progress))
    except KeyboardInterrupt:
        stop("Stopped.")


def _say(console: Console, rules: AnyGame, findings: list[Finding]) -> None:
    from digitduels.rule_sets import label

    console.say(label(rules), "")
    if not findings:
        console.say("Nothing to report.")
    for finding in findings:
        kind = " (a measurement with our levels)" if finding.measured else ""
        console.say_wrapped(f"{finding.severity} {finding.code}: {finding.text}{kind}", 4)
        if finding.shown:
            console.say_wrapped(f"    Shown by: {finding.shown}.", 4)
        if finding.remedy:
            console.say_wrapped(f"    Not with: {settings(finding.remedy)}.", 4)
