"""HTTP with an end to patience: who does not ask, or does not read, makes room for others.

uvicorn waits for a request without end, so that connections which send nothing, or a byte now and then, would
keep everybody else out.
"""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from quiff.web.guard import HEADERS

_PATIENCE = 10.0  # seconds for a whole request, or for the next part of an answer to be taken
_MOST = 256  # connections at the same time


class PatientProtocol(H11Protocol):
    """One connection, which is ended if its request or its reading takes too long.

    Beyond a number of connections, each new one takes the place of the one that has asked for nothing for the
    longest time. Those that are being answered stay.
    """

    _late: asyncio.TimerHandle | None = None  # ends the connection unless a whole request comes
    _stuck: asyncio.TimerHandle | None = None  # ends it unless what was sent is taken
    _since = 0.0

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Begin to wait for a request, in the place of another connection if there are too many."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._late = self.loop.call_later(_PATIENCE, transport.abort)
        if len(self.connections) > _MOST:
            ours = [other for other in self.connections if isinstance(other, PatientProtocol)]
            idle = [other for other in ours if not other._answering and other is not self]
            min(idle, key=lambda other: other._since, default=self).transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take some bytes; more of them do not give more time."""
        super().data_received(data)
        if self._answering:
            _cancel(self._late)
            self._late = None
            self._since = self.loop.time()
        elif self._late is None:
            self._late = self.loop.call_later(_PATIENCE, self.transport.abort)

    def pause_writing(self) -> None:
        """Wait until what was sent is taken, but not for ever."""
        super().pause_writing()
        self._stuck = self.loop.call_later(_PATIENCE, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on to send."""
        super().resume_writing()
        _cancel(self._stuck)

    def connection_lost(self, exc: Exception | None) -> None:
        """End all waiting."""
        super().connection_lost(exc)
        _cancel(self._late, self._stuck)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, with the headers of every answer; in the middle of an answer, just end."""
        if self.conn.our_state is not h11.IDLE:
            self.transport.abort()
            return
        headers = {**HEADERS, "Cache-Control": "no-store", "Content-Type": "text/plain; charset=utf-8"}
        answer = h11.Response(status_code=400, headers=[*headers.items(), ("Connection", "close")])
        for event in (answer, h11.Data(data=f"{msg}\n".encode()), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def _cancel(*timers: asyncio.TimerHandle | None) -> None:
    for timer in timers:
        if timer is not None:
            timer.cancel()
