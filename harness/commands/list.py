"""List components, metrics and commands with one line each."""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "kind", nargs="?", metavar="KIND", help="parser, chunker, embedder, retriever, … (default: all)"
    )


def run(args: argparse.Namespace) -> int:
    from harness import registry
    from harness.errors import UserError, nearest

    kinds = list(registry.FOLDERS)
    wanted = (args.kind or "").removesuffix("s")
    if wanted and wanted not in kinds:
        raise UserError(f"unknown kind {args.kind!r}.{nearest(wanted, kinds)} Kinds: {', '.join(kinds)}.")
    for kind in [wanted] if wanted else kinds:
        for name, path in registry.files(kind).items():
            print(f"{kind:<10} {name:<22} {registry.describe(path)}")
    return 0
