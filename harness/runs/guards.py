"""What components do and give is not trusted: each call ends in what its protocol promises, or in one line with their name.

A fault is the system's, and its case counts 0; where the machine had a part in it (memory, time), it is never kept.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

from pydantic import ValidationError

from harness.components import Component
from harness.errors import HarnessError
from harness.files import working_folder
from harness.records import Answer, Chunk, Citation, Hit, Page, PageRef, Record, whole_text
from harness.runs import faults
from harness.runs.deadlines import Late

T = TypeVar("T", bound=Record)


class Fault(Exception):
    """A component did or gave what no component may; the message names it."""


class Lack(Fault):
    """A component had too little memory, which another machine may have."""


@contextmanager
def calling(component: Component) -> Iterator[None]:
    """Around each call: what would end the program becomes the component's Fault, and the working directory stays.

    An interrupt in the main thread is the user's. An ordinary exception is passed on as it is.
    """
    with working_folder.fixed():
        try:
            yield
        except KeyboardInterrupt as error:
            if threading.current_thread() is threading.main_thread():
                raise
            raise fault(component, error) from None
        except HarnessError:
            raise
        except MemoryError as error:
            raise fault(component, error) from None
        except Exception:
            raise
        except BaseException as error:
            raise fault(component, error) from None


def fault(component: Component, error: BaseException) -> BaseException:
    """What a component raised; in the place of what would end the program, the Fault that it is."""
    if isinstance(error, MemoryError):
        return Lack(f"{_called(component)} ran out of memory{_said(error)}")
    if isinstance(error, Exception):
        return error
    return Fault(f"{_called(component)} raised {type(error).__name__}{_said(error)}, which would end the whole run")


def reason(error: BaseException) -> str:
    """`faults.reason`, in one line of whole characters."""
    if isinstance(error, (Fault, Late)):
        text = str(error)
    elif isinstance(error, ValidationError):
        text = f"{error.title}: {_invalid(error)}"
    else:
        text = _safely(faults.reason, error)
    return text.encode("utf-8", "replace").decode()


def passing(error: BaseException) -> bool:
    """Whether the same system may do better another time: then nothing of it is kept."""
    return isinstance(error, (Lack, Late))


def _safely(say: Callable[[BaseException], str], error: BaseException) -> str:
    """An exception of a user may raise another one when it is printed."""
    try:
        str(error)
    except Exception as other:
        return f"{type(error).__name__} (its text cannot be had: {type(other).__name__})"
    return say(error)


def _said(error: BaseException) -> str:
    return f": {error}" if str(error) else ""


def _called(component: Component) -> str:
    return f"{component.kind} {component.name()!r}"


def _invalid(error: ValidationError) -> str:
    """pydantic's first complaint in one line."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    return f"{place}: {said}" if place else said


def _sound(component: Component, given: Any, record: type[T], fields: Callable[[T], Mapping[str, Any]] = vars) -> T:
    """A record as its class promises; model_copy and model_construct check nothing. Raises Fault."""
    if not isinstance(given, record):
        raise Fault(f"{_called(component)} gave {_kind(given)} where {record.__name__} is needed")
    try:
        return record.model_validate(dict(fields(given)))
    except ValidationError as error:
        raise Fault(f"{_called(component)} gave a damaged {record.__name__}: {_invalid(error)}") from None


def _kind(given: Any) -> str:
    return "None" if given is None else f"a value of type {type(given).__name__!r}"


def answer(component: Component, given: Any) -> Answer:
    """What an answerer gave. Raises Fault where it is no Answer, or a damaged one."""
    return _sound(component, given, Answer, lambda one: vars(one) | {"citations": _citations(component, one)})


def _citations(component: Component, given: Answer) -> list[Citation]:
    written = getattr(given, "citations", ())
    if not isinstance(written, (list, tuple)):
        raise Fault(f"{_called(component)} gave {_kind(written)} where citations are needed")
    return [_sound(component, citation, Citation) for citation in written]


def many(component: Component, given: Any, what: str, most: int | None = None) -> Iterator[Any]:
    """The items of a list, or of a generator in its place. Raises Fault for no list, and for more than `most` items."""
    if not isinstance(given, Iterable) or isinstance(given, (str, bytes, Mapping)):
        raise Fault(f"{_called(component)} gave {_kind(given)} where a list of {what} is needed")
    if most is None:
        yield from given
        return
    taken = list(islice(given, most + 1))
    if len(taken) > most:
        raise Fault(f"{_called(component)} gave more than {most} {what}, the most that it was asked for")
    yield from taken


# -- hits ---------------------------------------------------------------------------------------------------------------


def hits(
    component: Component, given: Any, most: int, known: Mapping[str, Chunk], docs: Collection[str], pages: Any
) -> list[Hit]:
    """The hits of a search: at most `most`, in scope, on pages that are there. Raises Fault.

    `known` are the corpus's chunks by id, `docs` the documents in scope, `pages` says with `in` which pages exist.
    """
    found = [_hit(component, one, known) for one in many(component, given, "hits", most)]
    for place in {hit.chunk.ref for hit in found}:
        if place.doc not in docs:
            raise Fault(f"{_called(component)} gave a hit on {place}, which is out of the question's scope")
        if place not in pages:
            raise Fault(f"{_called(component)} gave a hit on {place}, which is no page of the corpus")
    return found


def reranked(component: Component, given: Any, before: Sequence[Hit], known: Mapping[str, Chunk]) -> list[Hit]:
    """The hits of a reranker: those that it was given, or fewer. Raises Fault."""
    found = [_hit(component, one, known) for one in many(component, given, "hits", len(before))]
    left = Counter((hit.chunk.id, hit.chunk.ref) for hit in before)
    left.subtract(Counter((hit.chunk.id, hit.chunk.ref) for hit in found))
    added = next((id for (id, _), count in left.items() if count < 0), None)
    if added is not None:
        raise Fault(f"{_called(component)} gave the hit {added!r}, which was not among those to put in order")
    return found


def _hit(component: Component, given: Any, known: Mapping[str, Chunk]) -> Hit:
    if not isinstance(given, Hit):
        raise Fault(f"{_called(component)} gave {_kind(given)} where a Hit is needed")
    chunk, score = given.chunk, _number(component, given.score)
    own = known.get(chunk.id) if isinstance(chunk, Chunk) and isinstance(getattr(chunk, "id", None), str) else None
    if own is not chunk:
        chunk = _chunk(component, chunk)
    if own is not None and own.ref != chunk.ref:
        raise Fault(f"{_called(component)} gave chunk {chunk.id!r} on {chunk.ref}, but it stands on {own.ref}")
    return Hit(chunk, score)


def _number(component: Component, given: Any) -> float:
    """A score as a float; numpy's numbers are numbers."""
    try:
        score = math.nan if isinstance(given, (str, bytes)) else float(given)
    except (TypeError, ValueError, OverflowError):
        score = math.nan
    if not math.isfinite(score):
        raise Fault(f"{_called(component)} gave a hit the score {given!r}, which is no finite number")
    return score


# -- documents ----------------------------------------------------------------------------------------------------------


def page(component: Component, given: Any) -> Page:
    """A page that a parser gave. Raises Fault."""
    return _sound(component, given, Page, lambda one: one.model_dump(warnings=False))


def chunks(component: Component, given: Any, own: Collection[PageRef]) -> list[Chunk]:
    """The chunks of a document whose pages are `own`. Raises Fault for a chunk of another page, and for ids that repeat."""
    found = [_chunk(component, one) for one in many(component, given, "chunks")]
    for one in found:
        if one.ref not in own:
            raise Fault(f"{_called(component)} gave a chunk of {one.ref}, which is no page of the document")
    repeated = next((id for id, count in Counter(one.id for one in found).items() if count > 1), None)
    if repeated is not None:
        raise Fault(f"{_called(component)} gave two chunks the id {repeated!r}")
    return found


def _chunk(component: Component, given: Any) -> Chunk:
    sound = _sound(component, given, Chunk)
    try:
        whole_text(sound.id)
    except ValueError as error:
        raise Fault(f"{_called(component)} gave a chunk the id {sound.id!r}: {error}") from None
    return sound
