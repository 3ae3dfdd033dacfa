"""Other devices find the server: `duels class`, and a page that never shows an address only one computer knows.

Linux answers at every address of 127.0.0.0/8, so 127.0.0.2 plays the address of this machine in its network, and
127.0.0.3 that of a phone.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from browser import MARKS, Visits, more
from conftest import PATIENCE
from digitduels.web.reach import Reach, machine_addresses
from digitduels.web.settings import Settings
from servers import Server, free_port

pytestmark = MARKS

PROGRAM = str(Path(__file__).with_name("reach_server.py"))


def test_the_addresses_of_this_machine_work_for_others() -> None:
    for address in map(ipaddress.ip_address, machine_addresses()):
        assert not address.is_loopback
        assert not address.is_link_local


def test_an_interface_without_a_network_has_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    wired, bridge = (1, "eth0", "192.168.1.20", 0x43), (2, "docker0", "172.17.0.1", 0x03)
    interfaces = {name.encode(): (address, flags) for _, name, address, flags in (wired, bridge)}

    def ioctl(_: object, request: int, interface: bytes) -> bytes:
        address, flags = interfaces[interface.rstrip(b"\0")]
        answer = socket.inet_aton(address) if request in (0x8915, 0xC0206921) else b""
        return interface[:16] + (b"\2\0\0\0" + answer if answer else struct.pack("H", flags))

    monkeypatch.setattr("fcntl.ioctl", ioctl)
    monkeypatch.setattr("socket.if_nameindex", lambda: [wired[:2], bridge[:2]])
    monkeypatch.setattr("digitduels.web.reach._outgoing_address", list)
    assert machine_addresses() == ["192.168.1.20"]


@pytest.mark.parametrize(
    ("listens_at", "origins", "opened_at", "client", "hint"),
    [
        ("127.0.0.1", "", "localhost", "127.0.0.1", "start"),
        ("127.0.0.1", "https://a.org/, http://b.org", "localhost", "::1", "https://a.org"),
        ("127.0.0.1", "", "a.org", "127.0.0.1", None),  # behind a proxy
        ("0.0.0.0", "", "192.168.1.20", "127.0.0.1", None),
        ("0.0.0.0", "", "a.org", "192.0.2.7", None),
        ("0.0.0.0", "", "localhost", "192.0.2.7", "elsewhere"),  # a stranger does not learn our addresses
        ("0.0.0.0", "https://a.org", "localhost", "192.0.2.7", "https://a.org"),  # a port of a container, a tunnel
        ("0.0.0.0", "", "0.0.0.0", "127.0.0.1", "http://192.168.1.20:80"),
        ("0.0.0.0", "", "laptop", "127.0.0.1", "http://192.168.1.20:80"),  # the name of this machine
        ("0.0.0.0", "", "laptop", "192.0.2.7", None),
        ("0.0.0.0", "", "127.0.0.1", "127.0.0.1", "http://192.168.1.20:80"),
        ("::", "", "::1", "::ffff:127.0.0.1", "http://192.168.1.20:80"),
    ],
)
def test_a_page_at_a_local_address_learns_the_address_for_others(
    monkeypatch: pytest.MonkeyPatch, listens_at: str, origins: str, opened_at: str, client: str, hint: str | None
) -> None:
    monkeypatch.setattr("digitduels.web.reach.machine_addresses", lambda: ["192.168.1.20", "10.0.0.7"])
    monkeypatch.setattr("socket.gethostname", lambda: "Laptop")
    assert Reach(Settings(origins=origins), listens_at, 80).hint(opened_at, client) == hint


def test_without_a_network_a_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("digitduels.web.reach.machine_addresses", list)
    assert Reach(Settings(), "0.0.0.0", 80).hint("localhost", "127.0.0.1") == "network"


def test_checks_that_nobody_uses_are_forgotten() -> None:
    reach = Reach(Settings(), "0.0.0.0", 80)
    first = reach.begin_check()
    assert reach.checked(first) == set()
    for _ in range(1000):
        last = reach.begin_check()
    assert (reach.checked(first), reach.checked(last)) == (None, set())


# The command


@contextmanager
def lesson(folder: Path, addresses: str, *arguments: str) -> Iterator[tuple[str, Path]]:
    """Runs `duels class` until its last line; yields the output and the file with the address that it opened."""
    opened, browser = folder / "opened", folder / "browser"
    browser.write_text(f'#!/bin/sh\necho "a browser chatters"\nprintf %s "$1" > {opened}\n')
    browser.chmod(0o755)
    command = [sys.executable, PROGRAM, addresses, "class", "--port", str(free_port()), "--database", "lesson.sqlite"]
    process = subprocess.Popen(
        [*command, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "BROWSER": f"{browser} %s"},
    )
    assert process.stdout is not None
    try:
        lines: list[str] = []
        while not lines or not lines[-1].startswith("Teach is at "):
            lines.append(process.stdout.readline())
            assert lines[-1], "".join(lines)
        yield "".join(lines), opened
    finally:
        process.kill()
        process.wait(PATIENCE)
        rest = process.stdout.read()
        process.stdout.close()
    assert not rest  # the address is the last thing on the terminal


def teach_page(output: str) -> str:
    address = re.search(r"Teach is at (http://\S+)\n$", output)
    assert address, output
    return address[1]


def wait_for_page(url: str) -> httpx.Response:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return httpx.get(url, timeout=PATIENCE)
        except httpx.TransportError:
            assert time.monotonic() < end
            time.sleep(0.05)


def test_a_class_starts_at_the_address_that_pupils_can_reach(tmp_path: Path) -> None:
    with lesson(tmp_path, "127.0.0.2,127.0.0.9") as (output, opened):
        url = teach_page(output)
        assert url.startswith("http://127.0.0.2:")
        assert "several networks" in output
        assert "127.0.0.9" in output
        large = import_module("digitduels.cli.commands.class").enlarged(f"127.0.0.2:{urlsplit(url).port}")
        assert output.endswith("\n".join(["", *large, "", f"Teach is at {url}", ""]))
        assert wait_for_page(url).status_code == 200
        end = time.monotonic() + PATIENCE
        while not opened.exists() or not opened.read_text():
            assert time.monotonic() < end
            time.sleep(0.05)
        assert opened.read_text() == url
        local = httpx.get(url.replace("127.0.0.2", "localhost"), timeout=PATIENCE).text
        assert f'<meta name="reach" content="{url.removesuffix("/teach")}" />' in local


def test_a_teacher_can_choose_another_network(tmp_path: Path) -> None:
    with lesson(tmp_path, "127.0.0.2,127.0.0.9", "--address", "127.0.0.9", "--no-open") as (output, _):
        assert teach_page(output).startswith("http://127.0.0.9:")


def test_without_a_network_the_class_works_on_this_computer(tmp_path: Path) -> None:
    with lesson(tmp_path, "", "--no-open") as (output, _):
        assert "in no network" in output
        url = teach_page(output)
        assert url.startswith("http://localhost:")
        assert wait_for_page(url).status_code == 200


def test_an_address_of_another_machine_is_refused(tmp_path: Path) -> None:
    command = [sys.executable, PROGRAM, "127.0.0.2", "class", "--address", "192.0.2.7"]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE, check=False)
    assert ran.returncode == 2
    assert "--address must be an address of this computer (127.0.0.2); '192.0.2.7' is not." in ran.stderr


# The page


@contextmanager
def visits(browser: Browser, folder: Path, addresses: str, host: str) -> Iterator[tuple[Visits, str]]:
    """A server that listens at a host, on a machine with these addresses; yields its visitors and its port."""
    command = (sys.executable, PROGRAM, addresses, "serve")
    with (
        Server(str(folder / "games.sqlite"), command, host=host, origins="") as server,
        Visits(browser, f"http://localhost:{server.port}") as visits,
    ):
        yield visits, str(server.port)


def start_class(page: Page) -> None:
    expect(page.locator(".preset").first).to_be_visible()
    page.get_by_role("button", name="Start the class").click()
    expect(page.get_by_role("heading", name=re.compile("Class [A-Z]{5}"))).to_be_visible()


def invite(page: Page) -> None:
    more(page, "New game")
    page.get_by_role("combobox", name="Against").select_option("friend")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/g/*")


def test_at_localhost_the_page_shows_the_address_for_others_and_moves_there(browser: Browser, tmp_path: Path) -> None:
    with visits(browser, tmp_path, "127.0.0.2", "0.0.0.0") as (visit, port):
        there = f"127.0.0.2:{port}"
        page = visit("/teach", 1280, 800)
        expect(page.get_by_role("link", name=f"Move this page to {there}")).to_have_attribute(
            "href", f"http://{there}/teach"
        )
        expect(page.locator("p.url")).to_contain_text(f"http://{there}/play/")
        start_class(page)
        code = page.url.rpartition("/")[2]
        expect(page.locator(".join-url")).to_have_text(f"{there}/j/{code}")
        expect(page.get_by_role("img", name=f"QR code for http://{there}/j/{code}")).to_have_attribute(
            "src", re.compile("^data:image/svg")
        )
        move = page.get_by_role("link", name=f"Move this page to {there}")
        assert re.fullmatch(rf"http://{there}/class/{code}#token=[\w-]+", move.get_attribute("href") or "")
        desk = visit((move.get_attribute("href") or "").removeprefix(f"http://{there}"), url=f"http://{there}")
        expect(desk.get_by_role("button", name="Pair and start")).to_be_visible()
        expect(desk.locator(".local")).to_have_count(0)
        assert "#" not in desk.url
        wall = visit(f"/class/{code}/wall", storage_state=page.context.storage_state())
        expect(wall.locator(".join-url")).to_have_text(f"{there}/j/{code}")


def test_play_a_friend_shows_the_address_for_others(browser: Browser, tmp_path: Path) -> None:
    with visits(browser, tmp_path, "127.0.0.2", "0.0.0.0") as (visit, port):
        page = visit("/play/operation-target")
        invite(page)
        expect(page.get_by_label("Invitation")).to_have_value(re.compile(rf"^http://127\.0\.0\.2:{port}/g/.+#invite="))
        expect(page.get_by_role("img", name="QR code of the link")).to_have_attribute(
            "src", re.compile("^data:image/svg")
        )


def test_on_a_server_for_one_computer_nobody_is_told_to_send_its_link(browser: Browser, tmp_path: Path) -> None:
    with visits(browser, tmp_path, "127.0.0.2", "127.0.0.1") as (visit, port):
        page = visit("/play/operation-target")
        invite(page)
        expect(page.get_by_role("note").filter(has_text="duels class")).to_be_visible()
        expect(page.get_by_label("Invitation")).to_have_value(re.compile(rf"^http://localhost:{port}/g/"))
        expect(page.get_by_text("On this computer")).to_be_visible()
        expect(page.get_by_role("button", name="Copy the link")).to_have_count(0)
        expect(page.locator(".lobby img")).to_have_count(0)


def test_on_a_server_for_one_computer_the_page_says_what_to_start(browser: Browser, tmp_path: Path) -> None:
    with visits(browser, tmp_path, "127.0.0.2", "127.0.0.1") as (visit, port):
        page = visit("/teach", 1280, 800)
        note = page.get_by_role("note").filter(has_text="duels class").first
        expect(note).to_be_visible()
        assert page.get_by_role("button", name="Can a phone reach me?").count() == 0
        expect(page.get_by_role("link", name="Try it")).to_be_visible()
        expect(page.locator("p.url")).to_have_count(0)
        large = visit("/teach?show=link")
        expect(large.get_by_role("note").filter(has_text="duels class")).to_be_visible()
        expect(large.locator("p.url")).to_have_count(0)
        start_class(page)
        expect(page.get_by_role("note").filter(has_text="duels class")).to_be_visible()
        expect(page.locator(".invitation img, .invitation .code")).to_have_count(0)
        expect(page.locator(".invitation")).to_contain_text(f"On this computer: localhost:{port}/j/")


def test_the_desk_says_when_a_phone_has_opened_the_check(browser: Browser, tmp_path: Path) -> None:
    with visits(browser, tmp_path, "127.0.0.2", "0.0.0.0") as (visit, port):
        page = visit("/teach", 1280, 800)
        page.get_by_role("button", name="Can a phone reach me?").click()
        link = page.locator(".phone-check .soft")
        expect(link).to_have_text(re.compile(rf"^127\.0\.0\.2:{port}/reach/[\w-]+$"))
        url = f"http://{link.inner_text()}"
        own = visit("/" + url.split("/", 3)[3], url=f"http://127.0.0.2:{port}")
        expect(own.get_by_role("heading", name="It works")).to_be_visible()
        status = page.locator(".phone-check [role=status]")
        expect(status).to_contain_text("This computer has opened it itself")
        with httpx.Client(transport=httpx.HTTPTransport(local_address="127.0.0.3"), timeout=PATIENCE) as phone:
            answer = phone.post(url.replace("/reach/", "/api/reach/"), json={})
        assert answer.json() == {"devices": 1, "here": True}
        expect(status).to_contain_text("Yes. Another device has opened it")
        assert page.locator(".phone-check img").count() == 0
