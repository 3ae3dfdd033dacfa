"""Bearer tokens, which clients send in a header and never in a URL."""

from __future__ import annotations

from starlette.types import Scope


def bearer_token(scope: Scope) -> str:
    """Returns the bearer token of a request, or an empty string."""
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, token = value.decode("latin-1").partition(" ")
            return str(token.strip()) if scheme.lower() == "bearer" else ""
    return ""
