"""List components, metrics and commands with one line each; --markdown gives every option and setting too."""

from __future__ import annotations

import argparse

_GAP = "  "


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "kind", nargs="?", metavar="KIND", help="parser, chunker, embedder, retriever, … (default: all)"
    )
    parser.add_argument(
        "--markdown", action="store_true", help="print the whole reference, as it stands in REFERENCE.md"
    )


def run(args: argparse.Namespace) -> int:
    if args.markdown:
        from harness.reports import reference_page

        print(reference_page.render(), end="")
        return 0
    for line in _lines(args.kind):
        print(line)
    return 0


def _lines(named: str | None) -> list[str]:
    from harness import registry
    from harness.errors import UserError, nearest
    from harness.reports.wrapping import width, wrapped

    kinds = list(registry.FOLDERS)
    wanted = (named or "").removesuffix("s")
    if wanted and wanted not in kinds:
        raise UserError(f"unknown kind {named!r}.{nearest(wanted, kinds)} Kinds: {', '.join(kinds)}.")
    found = [
        (kind, name, path) for kind in ([wanted] if wanted else kinds) for name, path in registry.files(kind).items()
    ]
    names = ([kind for kind, _, _ in found], [name for _, name, _ in found])
    first, second = (max(map(len, column), default=0) + len(_GAP) for column in names)
    return [
        wrapped(f"{kind:<{first}}{name:<{second}}{registry.describe(path)}", first + second, width())
        for kind, name, path in found
    ]
