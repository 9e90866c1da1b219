"""Serving the page: a free port, a safe address, and an end at once."""

import errno
import ipaddress
import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, final

from quiff.errors import ParameterError, QuiffError
from quiff.web.app import make_app
from quiff.web.guard import Access
from quiff.web.jobs import Jobs

if TYPE_CHECKING:
    from quiff.apis.base import Api
    from quiff.web.people import Profiles

LOOPBACK = "127.0.0.1"
"""The address that only this machine reaches."""

_TRIES = 100


@final
@dataclass(frozen=True, eq=False)
class Place:
    """An address to serve on: the open socket, who may ask, and the link to give away."""

    listener: socket.socket  # the socket, bound and ready
    access: Access  # who may ask
    host: str  # the address or name in the link
    wanted: int  # the port that was asked for; another one was taken if it was in use

    @property
    def link(self) -> str:
        """The address of the page, with the token if there is one."""
        return f"http://{self.host}:{self.access.port}{self.access.prefix}/"


def find_place(host: str = LOOPBACK, port: int = 8349) -> Place:
    """Bind an address: the port that is asked for or, if it is in use, the next free one.

    An address that other machines can reach gets a random token, without which nothing is answered.

    Examples
    --------
    >>> place = find_place(port=0)
    >>> place.link == f"http://127.0.0.1:{place.access.port}/"
    True
    >>> place.listener.close()
    """
    listener = _bound(host, port)
    address, taken = listener.getsockname()[:2]
    shown = f"[{address}]" if ":" in address else address
    if ipaddress.ip_address(address).is_loopback:
        return Place(listener, Access(taken), shown, port)
    everywhere = ipaddress.ip_address(address).is_unspecified
    name = socket.gethostname().lower() if everywhere else host.lower()
    access = Access.beyond(taken, name, shown, any_address=everywhere)
    return Place(listener, access, name if everywhere else shown, port)


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise ParameterError(
            f"host {host!r} is no address of this machine: {error.strerror}", what="host", value=host
        ) from error
    tries = 1 if port == 0 else min(_TRIES, 65_536 - port)
    for number in range(port, port + tries):
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address[0], number))
            listener.listen()
        except OSError as error:
            listener.close()
            if error.errno != errno.EADDRINUSE:
                raise ParameterError(
                    f"cannot serve on {host!r}, port {number}: {error.strerror}", what="port", value=number
                ) from error
        else:
            return listener
    raise ParameterError(
        f"ports {port} to {port + tries - 1} are all in use; name another with --port",
        what="port",
        value=port,
    )


def _load() -> None:
    """Load the APIs that the page will ask for, while the browser opens it."""
    from quiff.web.offers import Offers

    with suppress(QuiffError):  # the page tells
        Offers()


def serve(
    place: Place,
    profiles: "Profiles | None" = None,
    ready: Callable[[], None] | None = None,
    apis: "Iterable[Api]" = (),
) -> None:
    """Serve the page until Ctrl-C, which ends it at once, open streams included, and is raised then.

    Parameters
    ----------
    place
        Where.
    profiles
        The people to offer besides synthetic ones.
    ready
        Called when the page can be asked for.
    apis
        APIs to offer beside those of the registry.
    """
    import uvicorn

    from quiff.web.protocol import PatientProtocol

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            jobs.close()
            self.force_exit = True  # open streams are not waited for
            super().handle_exit(sig, frame)

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if ready is not None:
                ready()
            threading.Thread(target=_load, daemon=True).start()

    jobs = Jobs(profiles)
    config = uvicorn.Config(
        make_app(place.access, jobs, apis),
        log_level="error",
        access_log=False,
        server_header=False,
        lifespan="off",
        http=PatientProtocol,
        ws="none",
        timeout_keep_alive=30,
    )
    try:
        Server(config).run(sockets=[place.listener])  # which raises the signal once more when it has ended
    finally:
        jobs.close()
        place.listener.close()
