"""List components, metrics and commands with one line each; --markdown gives every option and setting too."""

from __future__ import annotations

import argparse


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

    kinds = list(registry.FOLDERS)
    wanted = (named or "").removesuffix("s")
    if wanted and wanted not in kinds:
        raise UserError(f"unknown kind {named!r}.{nearest(wanted, kinds)} Kinds: {', '.join(kinds)}.")
    return [
        f"{kind:<10} {name:<22} {registry.describe(path)}"
        for kind in ([wanted] if wanted else kinds)
        for name, path in registry.files(kind).items()
    ]
