"""The parts of an answer that state it: its first and its concluding sentences."""

from __future__ import annotations

import re

from harness.scoring.judges.rules.sentences import sentences_of

_CUE = re.compile(
    r"\b(?:therefore|thus|hence|in (?:summary|conclusion)|overall|the answer is|final answer|answer:|"
    r"to summari[sz]e|so,)",
    re.IGNORECASE,
)
_SHORT = 25
"""Words up to which an answer is a statement as a whole."""
_HEADING = re.compile(r"[^.!?]{0,80}:\Z|#+\s")


def concludes(sentence: str) -> bool:
    """Whether a sentence says that it concludes: "therefore", "in summary", "the answer is"."""
    return bool(_CUE.search(sentence))


def statements(answer: str) -> list[str]:
    """What an answer states: the concluding sentences, else the first and the last; short answers whole."""
    sentences = [sentence for sentence in sentences_of(answer) if not _HEADING.match(sentence)] or sentences_of(answer)
    if len(sentences) <= 2 or len(answer.split()) <= _SHORT:
        return sentences
    cued = [sentence for sentence in sentences if _CUE.search(sentence)]
    return list(dict.fromkeys([sentences[0], *(cued[-1:] or sentences[-1:])]))
