"""How long reading, judging and searching take: 10,000 answers of a paragraph each.

python benchmarks/quantities_speed.py [--answers 10000]

The paragraphs are made up here: some 110 words with a dozen numbers, a working and a conclusion, no two alike.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterable

from harness.quantities.pages import find_on_pages, read_page
from harness.quantities.reading import read_quantities
from harness.records import PageRef
from harness.scoring.judges.rules.judging import judge

QUESTION = "What was the operating margin of Marlow Foods in 2022, in percent rounded to one decimal?"
PARAGRAPH = """To work out the operating margin of Marlow Foods for fiscal 2022 we need operating income and revenue. According
to the income statement on page 41, revenue came to ${revenue:,} million, compared with ${before:,} million in 2021, an increase
of {growth:.1f}%. Operating income was ${income:,} million after an impairment of $(12.5) million, against $310 million a year
before.

Operating margin = ${income:,} million / ${revenue:,} million = {margin:.3f}

Costs fell by 45 basis points of revenue, and about 4,200 employees in 12 plants produced 1.3 million tonnes, nearly 8 percent
more than planned. Therefore, the operating margin of Marlow Foods in 2022 was {percent:.1f}%, up from 10.2% in 2021."""
ROW = "{name} $ {a:,} $ {b:,} $ {c:,} {d:.1f} %\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=10_000)
    count = parser.parse_args().answers
    answers, page = [paragraph(seed) for seed in range(count)], page_of_rows()
    print(f"{count:,} answers of {len(answers[0].split())} words with {len(read_quantities(answers[0]))} figures")
    timed("read", answers, read_quantities)
    timed("judged", answers, lambda answer: judge(QUESTION, "12.4%", (), answer))
    figures = read_page(page)
    timed(
        "answers of 200 such paragraphs judged",
        ["\n".join(answers[:200])],
        lambda answer: judge(QUESTION, "12.4%", (), answer),
    )
    timed(
        "searched on a page read once",
        answers,
        lambda answer: find_on_pages(answer, {PageRef("d", 41): figures}, QUESTION),
    )
    timed(f"pages of {len(page):,} characters read", [page] * (count // 100), read_page)


def paragraph(seed: int) -> str:
    draw = random.Random(seed)
    revenue, before = draw.randint(2000, 9000), draw.randint(2000, 9000)
    income = int(revenue * draw.uniform(0.05, 0.2))
    margin = income / revenue
    return PARAGRAPH.format(revenue=revenue, before=before, growth=100 * (revenue / before - 1), income=income,
                            margin=margin, percent=100 * margin)  # fmt: skip


def page_of_rows() -> str:
    draw = random.Random(0)
    rows = [ROW.format(name=f"Line {chr(65 + i % 26)} of costs", a=draw.randint(10, 9000), b=draw.randint(10, 9000),
                       c=draw.randint(10, 9000), d=draw.uniform(0, 30)) for i in range(40)]  # fmt: skip
    return "Consolidated statement of income\n(in millions, except per share data)\n2022 2021 2020\n" + "".join(rows)


def timed(name: str, items: Iterable[str], work: Callable[[str], object]) -> None:
    started, before, done = time.perf_counter(), time.process_time(), 0
    for item in items:
        work(item)
        done += 1
    seconds, busy = time.perf_counter() - started, time.process_time() - before
    print(f"  {name:<40} {seconds:6.1f} s ({busy:.1f} s of processor), {1000 * seconds / done:.2f} ms each")


if __name__ == "__main__":
    main()
