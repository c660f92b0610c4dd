"""Work on documents in processes of their own, within limits of time and memory.

A hostile or damaged PDF may hang, eat all memory, or take its process with it: that must cost this document and no other.
The processes are plain interpreters that talk pickle over their pipes, so that no script of a user is imported again, what a
parser prints cannot mix with our stdout (child_output.py), and Ctrl-C reaches the command alone. They end when the command
does, however it ends.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Generic, Literal, NamedTuple, TypeVar

from harness.documents.child_output import NativeOutput, PythonOutput, first_line, starved
from harness.errors import UserError

In = TypeVar("In")
Out = TypeVar("Out")

GIB = 1 << 30
_LONGEST_WAIT = 3600.0
_LENGTH = struct.Struct(">Q")
_FROM_OUTSIDE = frozenset({"SIGKILL", "SIGTERM"})
"""Signals that somebody else sends, a system without memory too: the same document may do better another time."""


@dataclass(frozen=True)
class Limits:
    """What one document may take. Each can be set in the environment, for parsers that are slow or large by nature."""

    gib: float = 4.0
    """HARNESS_DOCUMENT_GIB: memory of the process, reserved address space aside; 0 sets no limit."""
    seconds: float = 300.0
    """HARNESS_DOCUMENT_SECONDS: wall-clock time of a document, besides that of its pages."""
    page_seconds: float = 10.0
    """HARNESS_PAGE_SECONDS: wall-clock time for each page of the document."""

    @classmethod
    def from_environment(cls) -> Limits:
        """The limits as the environment sets them. Raises UserError for a value that is no number from 0."""
        return cls(
            _number("HARNESS_DOCUMENT_GIB", cls.gib),
            _number("HARNESS_DOCUMENT_SECONDS", cls.seconds),
            _number("HARNESS_PAGE_SECONDS", cls.page_seconds),
        )

    def time(self, pages: int) -> float:
        """Seconds that a document of so many pages may take."""
        return self.seconds + pages * self.page_seconds


def _number(name: str, default: float) -> float:
    text = os.environ.get(name, "")
    try:
        value = float(text) if text else default
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise UserError(f"the environment variable {name} is {text!r}; it must be a number from 0.")
    return value


class Done(NamedTuple, Generic[In, Out]):
    """What became of an item: its result, or why it was lost. `outside`: by no fault of its own, as far as one can tell."""

    item: In
    result: Out | None
    lost: str | None
    outside: bool = False


class Reply(NamedTuple):
    """What a process says of its item: how it ended, or a line that was printed. `gone` is said for it."""

    kind: Literal["done", "lost", "error", "printed", "gone"]
    value: Any = None


@dataclass
class _Job(Generic[In]):
    item: In
    seconds: float
    tries: int = 0


@dataclass(eq=False)
class _Process(Generic[In]):
    """A child with the job that it is at."""

    replies: queue.Queue[tuple[_Process[In], Reply]]
    job: _Job[In] | None = None
    deadline: float = float("inf")
    child: subprocess.Popen[bytes] = field(init=False)
    native: NativeOutput = field(init=False)

    def __post_init__(self) -> None:
        begin = "import sys; sys.path[:] = sys.argv[1:]; from harness.documents.processes import serve; serve()"
        paths = [path or os.getcwd() for path in sys.path]
        self.child = subprocess.Popen(
            [sys.executable, "-P", "-c", begin, *paths],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        assert self.child.stderr is not None
        self.native = NativeOutput(self.child.stderr)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.child.stdout is not None
        with self.child.stdout as pipe, contextlib.suppress(EOFError, OSError):
            while True:
                self.replies.put((self, pickle.loads(_read(pipe))))
        self.replies.put((self, Reply("gone")))

    def give(self, work: Callable[[In], Any], job: _Job[In], gib: float) -> None:
        """Hand it a job. A process that is gone already says so by itself."""
        self.job, self.deadline = job, time.monotonic() + job.seconds
        self.native.forget()
        job.tries += 1
        assert self.child.stdin is not None
        with contextlib.suppress(OSError):
            _write(self.child.stdin, pickle.dumps((work, job.item, job.seconds, gib)))

    def end(self) -> int:
        """Kill it, if it still runs; its exit code, negative for a signal."""
        self.child.kill()
        code = self.child.wait()
        assert self.child.stdin is not None
        with contextlib.suppress(OSError):
            self.child.stdin.close()
        return code


def each(
    work: Callable[[In], Out],
    items: Sequence[In],
    workers: int,
    seconds: Callable[[In], float],
    notify: Callable[[In, str], None],
    gib: float,
) -> Iterator[Done[In, Out]]:
    """`work(item)` for each item in at most `workers` processes; yields each as it ends. `work` is a function of a module.

    An item is lost where it takes more than `seconds(item)`, needs more than `gib` of memory, or ends its process; where
    somebody else seems to have killed that, `notify` is told so the first time, and the item is tried once more. `notify` is
    told what is printed, too. What `work` raises is raised here.
    """
    team = _Team(work, min(workers, len(items)), notify, gib)
    team.waiting.extend(_Job(item, seconds(item)) for item in items)
    try:
        while team.waiting or team.busy:
            team.employ()
            yield from team.ended()
    finally:
        team.dismiss()


class _Team(Generic[In, Out]):
    """The processes of one `each`."""

    def __init__(self, work: Callable[[In], Out], size: int, notify: Callable[[In, str], None], gib: float) -> None:
        self.work, self.size, self.notify, self.gib = work, size, notify, gib
        self.waiting: deque[_Job[In]] = deque()
        self.idle: list[_Process[In]] = []
        self.busy: list[_Process[In]] = []
        self.replies: queue.Queue[tuple[_Process[In], Reply]] = queue.Queue()

    def employ(self) -> None:
        """Give each process that can be had a job."""
        while self.waiting and len(self.busy) < self.size:
            process = self.idle.pop() if self.idle else _Process(self.replies)
            self.busy.append(process)
            process.give(self.work, self.waiting.popleft(), self.gib)

    def ended(self) -> Iterator[Done[In, Out]]:
        """The items that ended, after waiting until something happens."""
        nearest = min(process.deadline for process in self.busy) - time.monotonic()
        try:
            process, reply = self.replies.get(timeout=min(max(0.0, nearest), _LONGEST_WAIT))
        except queue.Empty:
            yield from self._late()
            return
        if reply.kind == "printed":
            if process.job is not None:
                self.notify(process.job.item, reply.value)
        elif process in self.busy:
            yield from self._heard(process, reply)
        elif process in self.idle:
            self.idle.remove(process)

    def _late(self) -> Iterator[Done[In, Out]]:
        for process in [process for process in self.busy if process.deadline <= time.monotonic()]:
            job = self._leave(process)
            yield Done(job.item, None, f"it took longer than {job.seconds:.0f} seconds")

    def _heard(self, process: _Process[In], reply: Reply) -> Iterator[Done[In, Out]]:
        if reply.kind == "done":
            self.busy.remove(process)
            self.idle.append(process)
            assert process.job is not None
            yield Done(process.job.item, reply.value, None)
            return
        job = self._leave(process)
        if reply.kind == "error":
            raise reply.value
        if reply.kind == "lost":
            yield Done(job.item, None, reply.value)
            return
        yield from self._gone(job, _signal(process.end()), process.native.of_the_dead())

    def _gone(self, job: _Job[In], how: str, written: bytes) -> Iterator[Done[In, Out]]:
        """The process ended in the middle of a job."""
        if self.gib and starved(written):
            yield Done(job.item, None, _needs_memory(self.gib))
        elif how not in _FROM_OUTSIDE:
            if line := first_line(written):
                self.notify(job.item, f"last words of its process: {line}")
            hint = "; out of memory?" if self.gib and not line and how == "SIGABRT" else ""
            yield Done(job.item, None, f"it ended the process that worked on it ({how}{hint})")
        elif job.tries > 1:
            yield Done(job.item, None, f"the process that worked on it was killed twice ({how}; out of memory?)", True)
        else:
            self.notify(job.item, f"the process that worked on it was killed ({how}); it is tried once more")
            self.waiting.appendleft(job)

    def _leave(self, process: _Process[In]) -> _Job[In]:
        self.busy.remove(process)
        process.end()
        assert process.job is not None
        return process.job

    def dismiss(self) -> None:
        """End all processes."""
        for process in [*self.busy, *self.idle]:
            process.end()


def _needs_memory(gib: float) -> str:
    return f"it needed more than {gib:g} GiB of memory"


def _signal(code: int) -> str:
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"exit code {code}"


def _write(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(_LENGTH.pack(len(data)) + data)
    pipe.flush()


def _read(pipe: IO[bytes]) -> bytes:
    """One message. Raises EOFError where the other side is gone."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    data = pipe.read(_LENGTH.unpack(head)[0])
    if len(data) < _LENGTH.unpack(head)[0]:
        raise EOFError
    return data


# -- in the process -----------------------------------------------------------------------------------------------------


def serve() -> None:
    """Take jobs from stdin until it ends, and put replies on what was stdout, what is printed among them."""
    jobs: queue.Queue[bytes] = queue.Queue()
    replies, lock = os.fdopen(os.dup(1), "wb"), threading.Lock()
    source = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    threading.Thread(target=_hear, args=(source, jobs), daemon=True).start()

    def send(reply: Reply) -> None:
        with lock:
            _write(replies, _pickled(reply))

    printed = PythonOutput(lambda line: send(Reply("printed", line)))
    while True:
        job = jobs.get()
        printed.begin()
        send(_reply(job))


def _hear(source: IO[bytes], jobs: queue.Queue[bytes]) -> None:
    """Pass jobs on; when the command is gone, this process goes too, in the middle of its work."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            jobs.put(_read(source))
    os._exit(0)


def _reply(job: bytes) -> Reply:
    gib = 0.0
    try:
        work, item, seconds, gib = pickle.loads(job)
        _limit(seconds, gib)
        return Reply("done", work(item))
    except MemoryError:
        return Reply("lost", _needs_memory(gib))
    except BaseException as error:
        raised = error if isinstance(error, Exception) else RuntimeError(f"{type(error).__name__}: {error}")
        raised.add_note(traceback.format_exc())
        return Reply("error", raised)


def _pickled(reply: Reply) -> bytes:
    try:
        data = pickle.dumps(reply)
        pickle.loads(data)
    except Exception:
        error = RuntimeError(f"{type(reply.value).__name__}: {reply.value}")
        data = pickle.dumps(Reply("error", error))
    return data


def _limit(seconds: float, gib: float) -> None:
    """Memory; and processor time as a last resort, for a process that hangs after the command was killed."""
    try:
        import resource
    except ImportError:  # Windows: no limits but the clock
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = used.ru_utime + used.ru_stime + seconds * (os.cpu_count() or 1) + 60
    _lower(resource.RLIMIT_CPU, int(most))
    if gib:
        _lower(resource.RLIMIT_DATA, int(gib * GIB))


def _lower(which: int, value: int) -> None:
    import resource

    hard = resource.getrlimit(which)[1]
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(which, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))
