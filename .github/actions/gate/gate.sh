#!/usr/bin/env bash
# `harness gate` on $CONFIGS. Leaves gate.json and gate.xml in $RUNNER_TEMP and a table in the job's summary. Its exit code is
# that of the gate, but that what cannot be told (3) is a warning as long as the observed drop lies within the margin.
set -uo pipefail
out=${RUNNER_TEMP:-$(mktemp -d)}  # not in the checkout, which has to be clean
read -ra configs <<< "$CONFIGS"

harness gate "${configs[@]}" ${SAVED:+--saved "$SAVED"} ${GOLDENS:+--goldens "$GOLDENS"} --junit "$out/gate.xml" --json > "$out/gate.json"
code=$?
cat "$out/gate.json"
[ "$code" -eq 3 ] || exit "$code"
python "$(dirname "$0")/undecided.py" "$out/gate.json"
