"""How other devices reach this server: the addresses of this machine, and checks with a device."""

from __future__ import annotations

import ipaddress
import secrets
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress

from digitduels.web.settings import Settings, split_list

EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104
RUNNING = 0x40  # the flag of an interface that is connected, unlike a bridge for containers that nothing uses
MOST_CHECKS = 1000  # in memory; older ones are forgotten
MOST_DEVICES = 100  # that are counted in one check


def machine_addresses() -> list[str]:
    """Returns the IPv4 addresses of this machine in its networks, the one towards the internet first.

    This is the only place that asks the operating system for addresses. It sends no packets.
    """
    found = dict.fromkeys([*_outgoing_address(), *_interface_addresses()])
    parsed = {address: ipaddress.ip_address(address) for address in found}
    return [text for text, address in parsed.items() if not address.is_loopback and not address.is_link_local]


def _outgoing_address() -> Iterator[str]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # reserved for documentation
        yield str(probe.getsockname()[0])


def _interface_addresses() -> Iterator[str]:
    try:
        import fcntl
    except ImportError:  # on Windows, the name of the machine has all its addresses
        with suppress(OSError):
            yield from (str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET))
        return
    get_address, get_flags = (0xC0206921, 0xC0206911) if sys.platform == "darwin" else (0x8915, 0x8913)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            interface = struct.pack("256s", name.encode()[:15])
            with suppress(OSError):  # the interface has no IPv4 address
                address = fcntl.ioctl(probe, get_address, interface)[20:24]
                (flags,) = struct.unpack("H", fcntl.ioctl(probe, get_flags, interface)[16:18])
                if flags & RUNNING:
                    yield socket.inet_ntoa(address)


def is_loopback(host: str | None) -> bool:
    """Whether a host name or an address means the machine on which it is used.

    >>> [is_loopback(host) for host in ("localhost", "a.localhost", "127.0.0.1", "::ffff:127.0.0.1", "::1", "0.0.0.0")]
    [True, True, True, True, True, True]
    >>> [is_loopback(host) for host in ("192.168.1.20", "a.org", "notlocalhost")]
    [False, False, False]
    """
    try:
        address = ipaddress.ip_address(host or "")
    except ValueError:
        return host is not None and (host == "localhost" or host.endswith(".localhost"))
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or address) in ("127.0.0.1", "::1", *EVERYWHERE)


class Reach:
    """Where a server listens, and where other devices find it."""

    def __init__(self, settings: Settings, host: str, port: int) -> None:
        self._public = next((origin.rstrip("/") for origin in split_list(settings.origins)), None)
        self._everywhere, self._port = host in EVERYWHERE, port
        self._checks: dict[str, set[str]] = {}

    @property
    def origin(self) -> str | None:
        """The address of this server for other devices; None if they cannot reach it."""
        if self._public or not self._everywhere:
            return self._public
        return next((f"http://{address}:{self._port}" for address in machine_addresses()), None)

    def hint(self, host: str | None, client: str | None) -> str | None:
        """What a page needs to know if it was opened at an address that only this machine understands.

        The origin for other devices; else `network` if this machine is in none, `start` if the server must be started
        for others, or `elsewhere` if the request came from another machine, as from a tunnel or into a container. None
        for every other page.
        """
        own = is_loopback(client)
        if not (is_loopback(host) or (own and host == socket.gethostname().lower())):
            return None
        if not own:
            return self._public or "elsewhere"
        return self.origin or ("network" if self._everywhere else "start")

    def begin_check(self) -> str:
        """Starts a check whether a device can reach this server, and returns its id."""
        while len(self._checks) >= MOST_CHECKS:
            del self._checks[next(iter(self._checks))]
        id = secrets.token_urlsafe(9)
        self._checks[id] = set()
        return id

    def checked(self, id: str) -> set[str] | None:
        """Returns the addresses that have opened a check; None if there is no such check."""
        return self._checks.get(id)

    def open_check(self, id: str, address: str) -> None:
        """Remembers that a device has opened a check, if there is one."""
        addresses = self._checks.get(id, set())
        if len(addresses) < MOST_DEVICES:
            addresses.add(address)
