// Solves rule sets with the Python of a browser: `node solve.js SOURCE FOLDER` reads FOLDER/games.json and writes the
// codes of the n-th one to FOLDER/n, and what else is asked about its solution to standard output.

import { readFileSync, writeFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

const [source, folder] = process.argv.slice(2);
const python = await loadPyodide();
python.mountNodeFS("/source", source);
python.globals.set("changes", readFileSync(`${folder}/changes.py`, "utf8"));
python.globals.set("games", readFileSync(`${folder}/games.json`, "utf8"));
python.globals.set("save", (number, codes) => writeFileSync(`${folder}/${number}`, codes));
console.log(
  python.runPython(`
import json, sys, time
sys.dont_write_bytecode = True
sys.path.insert(0, "/source")
from digitduels.core import TooLarge
from digitduels.games import game
from digitduels.solver import solve

exec("from __future__ import annotations\\n" + changes)  # functions that change the rules of a game
found = []
for number, (name, options, change) in enumerate(json.loads(games)):
    rules = game(name, **options)
    if change is not None:
        rules = globals()[change](rules)
    began = time.perf_counter()
    solution = solve(rules)
    seconds = time.perf_counter() - began
    judgement = [(str(move), verdict) for move, verdict in solution.judge(rules.start()).items()]
    answer = {"start": solution.start, "judgement": judgement, "seconds": seconds, "totals": None}
    if hasattr(solution, "codes"):
        save(number, solution.codes)
        answer["totals"] = sorted([*verdict, count] for verdict, count in solution.by_distance().items())
    found.append(answer)
    try:
        solve(rules, limit=10_000)
    except TooLarge as error:
        answer["refusal"] = str(error)
json.dumps({"games": found, "foreign": [name for name in sys.modules if name in ("numpy", "numba")]})
`),
);
