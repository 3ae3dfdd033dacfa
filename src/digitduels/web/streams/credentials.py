"""Secrets: everybody who watches a game knows its id, but only its members know tokens. Only hashes are stored."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterable

from digitduels.web.refusal import Refusal
from digitduels.web.streams.store import Member


def new_id() -> str:
    return secrets.token_urlsafe(9)


def new_secret() -> str:
    return secrets.token_urlsafe(24)


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def derive_secret(key: str, purpose: str, length: int) -> str:
    """Derives a secret from a client's key, so that a repeated request gets the same secret."""
    return urlsafe_b64encode(hmac.digest(key.encode(), purpose.encode(), "sha256")[:length]).decode()


def is_secret(secret: str, digest: str | None) -> bool:
    """Whether a secret has a hash. Takes the same time for every secret."""
    return digest is not None and hmac.compare_digest(digest, hash_secret(secret))


def member_of(members: Iterable[Member], token: str, acts: bool = False) -> int | None:
    """The number of the member whose token this is. With `acts`, raises Refusal if the token only reads."""
    digest, owner = hash_secret(token), None
    for member in members:
        for hash, reads_only in member.tokens:
            if hmac.compare_digest(hash, digest):
                owner = member.number, reads_only
    if owner is None:
        return None
    number, reads_only = owner
    if acts and reads_only:
        raise Refusal(403, "This link is only for watching.")
    return number
