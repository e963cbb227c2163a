"""Sums over the workers of a Dask cluster, through Dask's own connections.

Rank 0 listens, and all others connect to it. A sum, a gather or a broadcast is one message from each of them and one
reply. Rank 0 processes the messages in the order of the ranks, so all ranks get the same bits and runs are
reproducible. The connections use the cluster's protocol, and its TLS certificates if it has them.
"""

from __future__ import annotations

import asyncio
from typing import Any, Awaitable, Callable

import numpy as np
from distributed import get_worker
from distributed.comm import connect, get_address_host, listen
from distributed.comm.addressing import parse_address, unparse_host_port
from distributed.protocol import to_serialize
from numpy.typing import NDArray


class WorkerGone(RuntimeError):
    """A worker that takes part in training no longer responds."""


_LONGEST_WAIT = 60.0  # seconds until all ranks have connected

# The meetings of this process, by the name of the training run.
_meetings: dict[str, "Meeting"] = {}


class Meeting:
    """What the other ranks connect to; created on the worker of rank 0 before training starts."""

    def __init__(self, size: int):
        self.size = size
        self.comms: dict[int, Any] = {}
        self.complete = asyncio.Event()
        self.listener: Any = None
        if size == 1:
            self.complete.set()

    async def welcome(self, comm: Any) -> None:
        """Accepts a connection, which stays open as long as the meeting."""
        self.comms[(await comm.read())["rank"]] = comm
        if len(self.comms) == self.size - 1:
            self.complete.set()

    def close(self) -> None:
        for comm in self.comms.values():
            comm.abort()
        if self.listener is not None:
            self.listener.stop()


async def open_meeting(name: str, size: int, dask_worker: Any = None) -> str:
    """Runs on the worker of rank 0; returns the address for the others."""
    meeting = Meeting(size)
    scheme, _ = parse_address(dask_worker.address)
    place = "" if scheme == "inproc" else unparse_host_port(get_address_host(dask_worker.address), 0)
    secrets = dask_worker.security.get_listen_args("worker")
    meeting.listener = await listen(f"{scheme}://{place}", meeting.welcome, deserialize=True, **secrets)
    _meetings[name] = meeting
    return str(meeting.listener.contact_address)


def close_meeting(name: str) -> None:
    """Cleans up after a failed training run; runs on any worker."""
    meeting = _meetings.pop(name, None)
    if meeting is not None:
        meeting.close()


class Ranks:
    """The collective of one rank. The library calls its methods from the thread of a task."""

    def __init__(self, name: str, address: str, rank: int, size: int):
        self.rank = rank
        self.size = size
        self._name = name
        worker = get_worker()
        self._loop = worker.loop.asyncio_loop
        self._meeting = _meetings.get(name) if rank == 0 else None
        self._comm: Any = None
        if rank == 0 and self._meeting is None:
            raise WorkerGone("the worker of rank 0 was restarted before the training began")
        secrets = worker.security.get_connection_args("worker")
        self._wait_for(self._join(address, secrets))

    def sum(self, values: NDArray[Any]) -> NDArray[Any]:
        """Returns the sum of the arrays of all ranks."""
        answer = self._exchange("sum", values, lambda parts: np.sum(parts, axis=0, dtype=np.float64))
        return np.asarray(answer, dtype=np.float64)

    def gather(self, own: bytes) -> list[bytes]:
        """Returns the bytes of all ranks."""
        return [bytes(part) for part in self._exchange("gather", own, list)]

    def broadcast(self, own: bytes) -> bytes:
        """Returns the bytes of rank 0."""
        return bytes(self._exchange("broadcast", own if self.rank == 0 else b"", lambda parts: parts[0]))

    def close(self) -> None:
        """Tells the others that this rank has finished."""
        if self._comm is not None:
            self._loop.call_soon_threadsafe(self._comm.abort)
        if self._meeting is not None:
            self._loop.call_soon_threadsafe(close_meeting, self._name)

    async def _join(self, address: str, secrets: dict[str, Any]) -> None:
        if self._meeting is not None:
            await asyncio.wait_for(self._meeting.complete.wait(), _LONGEST_WAIT)
        else:
            self._comm = await connect(address, deserialize=True, **secrets)
            await self._comm.write({"rank": self.rank})

    def _exchange(self, what: str, own: Any, combine: Callable[[list[Any]], Any]) -> Any:
        if self._meeting is not None:
            return self._wait_for(self._lead(what, own, combine))
        return self._wait_for(self._follow(what, own))

    async def _lead(self, what: str, own: Any, combine: Callable[[list[Any]], Any]) -> Any:
        assert self._meeting is not None
        comms = [self._meeting.comms[rank] for rank in range(1, self.size)]
        messages = await asyncio.gather(*(comm.read() for comm in comms))
        for rank, message in enumerate(messages, 1):
            if message["what"] != what:
                raise RuntimeError(f"rank {rank} asks for a {message['what']} where rank 0 asks for a {what}")
        answer = combine([own, *(message["own"] for message in messages)])
        await asyncio.gather(*(comm.write({"answer": _sent(answer)}) for comm in comms))
        return answer

    async def _follow(self, what: str, own: Any) -> Any:
        await self._comm.write({"what": what, "own": _sent(own)})
        return (await self._comm.read())["answer"]

    def _wait_for(self, work: Awaitable[Any]) -> Any:
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except (OSError, asyncio.TimeoutError) as problem:  # a closed connection is an OSError
            raise WorkerGone(f"rank {self.rank} of {self.size} lost the others: {problem}") from problem


def _sent(value: Any) -> Any:
    """Serialises arrays as raw memory."""
    return to_serialize(value) if isinstance(value, np.ndarray) else value
