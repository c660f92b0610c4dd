"""The command line. Each file of harness/commands/ is one command; only the one that is called is imported."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, TextIO

from harness.errors import HarnessError, UserError, nearest
from harness.files import output

QUIET = {
    "ORT_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "SCARF_NO_ANALYTICS": "1",
    "UNSTRUCTURED_DISABLE_NOTICE": "1",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DEEPEVAL_NO_INSPECT_PROMPT": "1",
    "DEEPEVAL_FILE_SYSTEM": "READ_ONLY",
    "RAGAS_DO_NOT_TRACK": "true",
    "ANONYMIZED_TELEMETRY": "False",
    "RAY_USAGE_STATS_ENABLED": "0",
}
"""Telemetry of third parties, off before any of them is imported."""

_EPILOG = """exit codes: 0 fine; 1 a regression (gate); 2 something that you can fix; 3 inconclusive or not comparable;
4 the world outside failed, run again to resume; 70 internal error; 130 interrupted"""


def main(words: Sequence[str] | None = None) -> int:
    """Run a command. Returns the exit code; expected failures are one message on stderr, without a traceback."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    _speak_any_locale()
    if words is None:
        _leave_soon_after_an_interrupt()
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    stdout = sys.stdout
    code = _guarded(list(sys.argv[1:] if words is None else words))
    if words is None:
        _leave_abandoned_behind(code)
    else:
        output.release(stdout)
    return code


def _guarded(words: list[str]) -> int:
    try:
        code = _call(words)
        sys.stdout.flush()
    except _UsageError as error:
        return _say(str(error), error.exit_code, error.program)
    except HarnessError as error:
        return _say(str(error), error.exit_code)
    except BrokenPipeError:
        return _closed_pipe()
    except UnicodeEncodeError as error:
        return _say(f"{error.object!r} cannot be written in this locale ({error.encoding}); PYTHONUTF8=1 helps.", 2)
    except OSError as error:
        return _refused(error)
    except KeyboardInterrupt:
        return _interrupted()
    except Exception as error:
        return _internal(error)
    return code


class _UsageError(UserError):
    """A mistake in the words of a command."""

    def __init__(self, program: str, message: str) -> None:
        super().__init__(f"{message}. `{program} --help` shows what there is.")
        self.program = program


class _Parser(argparse.ArgumentParser):
    """Mistakes on the command line are one line like any other mistake. Names of options are not cut short."""

    def __init__(self, **settings: object) -> None:
        super().__init__(**{"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False, **settings})  # type: ignore[arg-type]

    def error(self, message: str) -> NoReturn:
        raise _UsageError(self.prog, message)

    def refuse(self, words: Sequence[str]) -> NoReturn:
        """Say which words are left over, and which option was meant."""
        first = words[0]
        name = first.partition("=")[0]
        if not first.startswith("-"):
            self.error(f"there is one argument too many, {first!r}")
        options = [option for action in self._actions for option in action.option_strings]
        self.error(f"unknown option {name!r}.{nearest(name, options)} Options: {', '.join(sorted(options))}")


def _call(words: list[str]) -> int:
    from harness import registry

    commands = registry.files("command")
    wanted = next((word for word in words if not word.startswith("-")), None)
    if wanted is not None and wanted not in commands and words[0] == wanted:
        raise UserError(
            f"unknown command {wanted!r}.{nearest(wanted, list(commands))} Commands: {', '.join(commands)}."
        )
    parser = _parser()
    places = parser.add_subparsers(metavar="COMMAND")
    called = parser
    for name, path in commands.items():
        place = places.add_parser(
            name, help=registry.describe(path), description=_whole(path) if name == wanted else None
        )
        if name == wanted:
            called = place
            module = registry.module("command", name)
            module.arguments(place)
            place.set_defaults(run=module.run)
    arguments, unknown = parser.parse_known_args(words)
    if unknown:
        called.refuse(unknown)
    if wanted is None:
        parser.error(f"name a command: {', '.join(commands)}")
    if getattr(arguments, "json", False):
        output.reserve()
    try:
        return int(arguments.run(arguments))
    except SystemExit as error:
        raise UserError(
            f"{_place(error)} ended the program (SystemExit: {error}): a component has to raise an error."
        ) from None


def _place(error: BaseException) -> str:
    """The file and line that raised it."""
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename}:{last.lineno}"


def _parser() -> _Parser:
    from harness import __doc__ as about

    parser = _Parser(prog="harness", description=about, epilog=_EPILOG)
    parser.add_argument("--version", action="version", version=_version())
    return parser


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"harness {version('pdf-qa-harness')}"
    except PackageNotFoundError:
        return "harness (not installed)"


def _whole(path: os.PathLike[str]) -> str:
    """A command's whole docstring: the description of its --help."""
    import ast

    return ast.get_docstring(ast.parse(Path(path).read_text(encoding="utf-8"))) or ""


def _speak_any_locale() -> None:
    """Characters that the terminal's encoding lacks are replaced, never an error; a closed stream takes everything."""
    sys.stdout, sys.stderr = sys.stdout or _nowhere(), sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _say(message: str, code: int, program: str = "harness") -> int:
    from harness.reports.escaping import terminal

    lines = [_not_endless(line) for line in f"{program}: {terminal(message)}".split("\n")]
    print("\n".join(lines), file=sys.stderr)
    return code


def _not_endless(line: str, head: int = 500, tail: int = 250) -> str:
    """A line of a message without the middle of what is quoted at great length: its place and its way out stay."""
    return line if len(line) <= head + tail else f"{line[:head]} … {line[-tail:]}"


def _closed_pipe() -> int:
    """The reader went away (`| head`): not an error, and nothing more may be written."""
    output.drop()
    return 0


def _refused(error: OSError) -> int:
    """The system refused a file: what the user can mend, what the world has to, and what is our fault."""
    from harness.files.writing import USER, WORLD

    if error.errno not in USER | WORLD:
        return _internal(error)
    output.drop()
    return _say(f"{error.filename or 'output'}: {error.strerror}", 2 if error.errno in USER else 4)


def _leave_abandoned_behind(code: int) -> None:
    """End the process where a case that hangs was left behind: what it began, as threads and processes, would be waited for."""
    from harness.runs.deadlines import abandoned

    if not abandoned():
        return
    import multiprocessing

    for child in multiprocessing.active_children():
        child.terminate()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


_GRACE = 1.0
"""Seconds after an interrupt in which a command may end by itself."""
_LEAVING = threading.Lock()


def _leave_soon_after_an_interrupt() -> None:
    """Ctrl-C ends the process even while a library's own code runs, or while a pool waits for a document."""
    if os.name != "posix":
        return
    own = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join([*([own] if own else []), "ignore:resource_tracker:UserWarning"])
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)

    def watch() -> None:
        while os.read(reader, 1) != bytes([signal.SIGINT]):
            pass
        time.sleep(_GRACE)
        _interrupted()

    threading.Thread(target=watch, daemon=True).start()


def _interrupted() -> int:
    """Leave at once: what is finished is on disk, threads and processes in work are not waited for."""
    with _LEAVING:
        if sys.stderr.isatty():
            print("\r\x1b[K\x1b[?25h", end="", file=sys.stderr)
        print("harness: interrupted; run the same command again to go on", file=sys.stderr, flush=True)
        import multiprocessing

        for child in multiprocessing.active_children():
            child.terminate()
        os._exit(130)


def _internal(error: Exception) -> int:
    import tempfile
    import traceback

    handle, name = tempfile.mkstemp(prefix="harness-", suffix=".log")
    with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
        traceback.print_exception(error, file=file)
    return _say(f"internal error: {type(error).__name__}: {error}. This is our fault; the log is {Path(name)}", 70)


if __name__ == "__main__":
    sys.exit(main())
