"""The routes of a check before a lesson: can a phone reach this server?"""

from __future__ import annotations

from typing import Annotated, TypedDict

from starlette.requests import Request
from starlette.responses import Response

from digitduels.web.encoding import encode
from digitduels.web.http.operations import OK, JsonResponse, Operation, tagged
from digitduels.web.reach import is_loopback, machine_addresses
from digitduels.web.refusal import Refusal
from digitduels.web.runtime import runtime_of


class NewCheck(TypedDict):
    id: str


class ReachCheck(TypedDict):
    devices: Annotated[int, "How many other devices have opened the link."]
    here: Annotated[bool, "Whether this machine has opened it itself."]


async def begin(request: Request) -> Response:
    answer: NewCheck = {"id": runtime_of(request).reach.begin_check()}
    return JsonResponse(encode(answer), new=True)


async def opened(request: Request) -> Response:
    if request.client is not None:
        runtime_of(request).reach.open_check(request.path_params["id"], request.client.host)
    return await state(request)


async def state(request: Request) -> Response:
    addresses = runtime_of(request).reach.checked(request.path_params["id"])
    if addresses is None:
        raise Refusal(404, "There is no such check.")
    machine = machine_addresses()
    own = {address for address in addresses if is_loopback(address) or address in machine}
    answer: ReachCheck = {"devices": len(addresses - own), "here": bool(own)}
    return JsonResponse(encode(answer))


REACH = "/api/reach/{id}"
BEGUN = {201: "Done."}
NO_CHECK = {**OK, 404: "There is no such check."}
ENDPOINTS = tagged(
    "classes",
    Operation("POST", "/api/reach", begin, "Begin a check whether a device can reach the server", NewCheck, BEGUN),
    Operation("POST", REACH, opened, "Say that this device has opened the link of a check", ReachCheck, NO_CHECK),
    Operation("GET", REACH, state, "Which devices have opened the link of a check", ReachCheck, NO_CHECK),
)
