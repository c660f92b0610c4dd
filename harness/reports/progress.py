"""Progress: a bar on a terminal, a plain line now and then elsewhere; always on stderr, so that stdout stays a result."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any, TextIO

from harness.reports.escaping import terminal

_EVERY = 10.0


class Progress:
    """Shows how far a step is. Call it with (what, done, total); safe for threads."""

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        self.stream = stream or sys.stderr
        self.quiet = quiet
        self.terminal = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        self._lock = threading.Lock()
        self._shown: dict[str, tuple[float, float]] = {}
        """By step: when it began, and when a line was last said."""
        self._bar: Any = None
        self._tasks: dict[str, Any] = {}
        self._waiting: Any = None

    def __call__(self, what: str, done: int, total: int) -> None:
        if self.quiet or not total:
            return
        with self._lock:
            if self.terminal:
                self._draw(what, done, total)
            else:
                self._say(what, done, total)

    def begin(self, what: str) -> None:
        """Show on a terminal that work has begun, until the first step says how far it is."""
        if self.terminal and not self.quiet:
            with self._lock:
                self._waiting = self._started().add_task(terminal(what), total=None)

    def _draw(self, what: str, done: int, total: int) -> None:
        bar = self._started()
        if self._waiting is not None:
            bar.remove_task(self._waiting)
            self._waiting = None
        if what not in self._tasks:
            self._tasks[what] = bar.add_task(terminal(what), total=total)
        bar.update(self._tasks[what], completed=done, total=total)

    def _started(self) -> Any:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            console = Console(file=self.stream)
            bar = BarColumn(bar_width=max(4, min(40, console.width - 40)))
            columns = (TextColumn("{task.description}", markup=False), bar, MofNCompleteColumn(), TimeElapsedColumn())
            self._bar = Progress(*columns, console=console, transient=True)
            self._bar.start()
        return self._bar

    def _say(self, what: str, done: int, total: int) -> None:
        """A line every ten seconds, and one at the end of a step that took a while."""
        now = time.monotonic()
        began, said = self._shown.setdefault(what, (now, now))
        if done == total:
            del self._shown[what]
        elif now - said >= _EVERY:
            self._shown[what] = (began, now)
        if now - said >= _EVERY or (done == total and now - began >= 1):
            print(f"{what}: {done} of {total}", file=self.stream, flush=True)

    def note(self, text: str) -> None:
        """One line that stays."""
        if self.quiet:
            return
        with self._lock:
            if self._bar is not None:
                self._bar.console.print(terminal(text), highlight=False, markup=False, soft_wrap=True)
            else:
                print(terminal(text), file=self.stream, flush=True)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
            self._tasks = {}
            self._waiting = None
