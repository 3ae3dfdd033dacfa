"""Serves our players through OpenAI's chat API, so that you can try the environments without a model.

`python players.py [PORT]` serves random, 1 to 7 and perfect, and `prose`, which never gives a move in the right form.
"""

from __future__ import annotations

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

from digitduels.evals.suite import read_suite
from digitduels.match import Match
from digitduels.players import OPPONENTS, player
from digitduels.solver.solution_cache import solution_of

SUITE, ONE_AT_A_TIME = read_suite(), Lock()


def reply(model: str, texts: list[str]) -> str:
    """The reply of a player to a conversation: the rules, then questions and answers."""
    if model == "prose":
        return "I would add five."
    match = position(texts)
    with ONE_AT_A_TIME:
        move = player(model, match.game, solution_of, texts[-1]).choose(match)
    return json.dumps({"move": str(move)})


def position(texts: list[str]) -> Match:
    """Parses the match in the last question. Its rules must be those of a rule set of suite-v1."""
    variant = next(number for number, variant in enumerate(SUITE.variants) if variant["rules"] == texts[0])
    question = next(text for text in reversed(texts) if text.startswith("The position:"))
    rules, moves = SUITE.game({"variant": variant}), re.findall(r"^\d+\. (\S+) \(", question, re.MULTILINE)
    return Match(rules, opening=map(rules.read, moves))


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model, texts = request["model"], [message["content"] for message in request["messages"]]
        if model in (*OPPONENTS, "prose"):
            message = {"role": "assistant", "content": reply(model, texts)}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
            status, answer = 200, {"id": "1", "object": "chat.completion", "created": 0, "model": model}
            answer |= {"choices": [choice], "usage": usage}
        else:
            status, answer = 404, {"error": {"message": f"There is no player {model!r}."}}
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Does not log requests."""


class Server(ThreadingHTTPServer):
    request_queue_size = 256  # verifiers sends 128 requests at once


if __name__ == "__main__":
    server = Server(("127.0.0.1", int(sys.argv[1]) if sys.argv[1:] else 8123), Handler)
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()
