"""The server's settings, from the command line or from environment variables such as DIGITDUELS_PORT."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from importlib.util import find_spec
from typing import Any, get_type_hints

from digitduels.text import quoted

PREFIX = "DIGITDUELS_"
OLD_NAMES = {
    "max_body": "body",
    "body_timeout": "patience",
    "variant_memory": "memory",
    "variant_timeout": "seconds",
    "class_retention": "lesson",
    "shutdown_timeout": "farewell",
}
"""The names of settings in earlier editions, which still work in the environment."""


def _setting(default: Any, about: str, low: float = 0, high: float = float("inf")) -> Any:
    return field(default=default, metadata={"about": about, "low": low, "high": high})


@dataclass(frozen=True)
class Settings:
    """All settings of a server. An invalid value raises ValueError with the reason."""

    host: str = _setting("127.0.0.1", "the address to listen on; 0.0.0.0 for all")
    port: int = _setting(8000, "the port to listen on; 0 for any free port", 0, 65535)
    database: str = _setting("", "postgresql://…, sqlite:///FILE, or a file name")
    proxies: str = _setting("127.0.0.1", "addresses or networks of trusted proxies, separated by commas")
    monitors: str = _setting("127.0.0.0/8, ::1", "addresses or networks that may read /metrics and /readyz; * for all")
    hosts: str = _setting("", "host names of this server, separated by commas; requests for other hosts get 421")
    origins: str = _setting(
        "", "public origins of this server, such as https://example.org, if a proxy changes the Host header"
    )
    max_body: int = _setting(1 << 20, "the largest request body, in bytes", 1024, 1 << 30)
    body_timeout: float = _setting(10.0, "seconds within which a request must arrive", 0.1, 3600)
    rate: float = _setting(30.0, "sustained API requests per second and address; 0 for no limit")
    burst: int = _setting(300, "API requests that one address may make at once", 1)
    workers: int = _setting(2, "worker processes for games by the book", 1, 64)
    queue: int = _setting(64, "questions that may wait for a worker", 1, 100_000)
    variant_memory: int = _setting(384, "MiB that the solution of a variant may use", 1, 1 << 20)
    variant_timeout: float = _setting(2.5, "time limit for an answer about a variant, in seconds", 0.1, 3600)
    streams: int = _setting(10_000, "live feeds that may be open at once", 1)
    stalled: float = _setting(20.0, "seconds after which a client that reads nothing is disconnected", 0.1, 3600)
    away: float = _setting(60.0, "seconds without a request or an open feed after which a player counts as away", 1)
    unjoined: float = _setting(3.0, "days after which a game that nobody joined is deleted", 0.01)
    idle: float = _setting(30.0, "days after which a game that nobody plays is closed", 0.01)
    retention: float = _setting(180.0, "days after which a game that has ended is deleted", 0.01)
    grace: float = _setting(
        24.0, "hours after a start, or after a jump of the clock, during which no game is closed or deleted", 0
    )
    class_retention: float = _setting(
        24.0, "hours after the last act or move in a class at which it is deleted, with its games and names", 0.01, 8760
    )
    connections: int = _setting(20_000, "connections that may be open at once, within the limits of the system", 1)
    http: str = _setting("auto", "the HTTP parser: h11, httptools, or auto for httptools if it is installed")
    shutdown_timeout: float = _setting(5.0, "seconds that open requests have to finish when the server stops", 0, 3600)

    def __post_init__(self) -> None:
        for setting in fields(self):
            value, low, high = getattr(self, setting.name), setting.metadata["low"], setting.metadata["high"]
            if not isinstance(value, str) and not low <= value <= high:
                span = f"at least {low:g}" if high == float("inf") else f"from {low:g} to {high:g}"
                raise ValueError(f"{setting.name} must be {span}; {quoted(value)} is not.")
        if self.http not in ("auto", "h11", "httptools"):
            raise ValueError(f"http must be auto, h11 or httptools; {quoted(self.http)} is not.")
        if self.http == "httptools" and not find_spec("httptools"):
            raise ValueError("http=httptools requires more packages: pip install 'digitduels[fast]'.")
        for name, networks in (("proxies", self.proxies), ("monitors", self.monitors)):
            for network in split_list(networks):
                if not _is_network(network):
                    raise ValueError(f"{name} must be addresses or networks, not names; {quoted(network)} is neither.")
        for origin in split_list(self.origins):
            if not re.fullmatch(r"https?://[^/?#@\s]+/?", origin):
                raise ValueError(f"origins must be sites such as https://example.org; {quoted(origin)} is not.")

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ, **overrides: Any) -> Settings:
        """Reads the settings from the environment. Overrides that are not None take precedence.

        >>> Settings.read({"DIGITDUELS_PORT": "81", "DIGITDUELS_LESSON": "5"}).class_retention
        5.0
        """
        kinds = get_type_hints(cls)
        values: dict[str, Any] = {}
        for setting in fields(cls):
            variable = _variable(setting.name)
            if variable not in environment and setting.name in OLD_NAMES:
                variable = _variable(OLD_NAMES[setting.name])
            text = environment.get(variable)
            if text is not None:
                try:
                    values[setting.name] = kinds[setting.name](text.strip())
                except ValueError:
                    raise ValueError(f"{variable} must be a number; {quoted(text)} is not.") from None
        return cls(**values | {name: value for name, value in overrides.items() if value is not None})


def renamed_variables(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Returns a sentence for each variable in the environment that has a new name.

    >>> renamed_variables({"DIGITDUELS_LESSON": "5"})
    ['DIGITDUELS_LESSON is now called DIGITDUELS_CLASS_RETENTION. The old name still works.']
    """
    return [
        f"{_variable(old)} is now called {_variable(new)}. The old name still works."
        for new, old in OLD_NAMES.items()
        if _variable(old) in environment
    ]


def _variable(name: str) -> str:
    return PREFIX + name.upper()


def split_list(text: str) -> list[str]:
    """Splits a setting at its commas.

    >>> split_list("127.0.0.1, ::1")
    ['127.0.0.1', '::1']
    """
    return [part.strip() for part in text.split(",") if part.strip()]


def _is_network(text: str) -> bool:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        return text == "*"
    return True
