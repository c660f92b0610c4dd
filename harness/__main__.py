"""`python -m harness` is `harness`: for a clone that is not installed, and where scripts are not on the path."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        # For -m, Python puts the working directory first, where a user's json.py would stand before Python's own;
        # main() adds it last, as it does for the script.
        del sys.path[0]
    from harness.cli import main

    sys.exit(main())
