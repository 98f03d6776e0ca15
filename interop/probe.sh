#!/bin/sh
# Runs the four probes of sonic-mgmt's probing framework (PFC XOFF, PFC XON, ingress drop, headroom pool) against
# `cellwarden probe --requests`, and compares what they find with `cellwarden probe`.
#
# Needs:
#   - python3, without further packages
#   - a checkout of github.com/sonic-net/sonic-mgmt in SONIC_MGMT (tests/saitests is used; b4ba9de3 is known to work)
#   - Go, or a built cellwarden in CELLWARDEN
#
# An argument is another file for `cellwarden probe`; or --ten: ten switches, by the framework's own executors of real
# switches and by those of probe/cellwarden_executor.py, with egress drops and the framework's scenarios of noise; or
# --identify: `cellwarden identify` through the framework's executors.
set -e
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 >/dev/null || { echo "python3 is needed" >&2; exit 2; }
if [ ! -d "$SONIC_MGMT/tests/saitests/probe" ]; then
  echo "SONIC_MGMT=$SONIC_MGMT: a checkout of sonic-net/sonic-mgmt with tests/saitests/probe is needed" >&2
  exit 2
fi
if [ -z "$CELLWARDEN" ]; then
  CELLWARDEN=$(mktemp -d)/cellwarden
  trap 'rm -rf "$(dirname "$CELLWARDEN")"' EXIT
  (cd "$here/.." && go build -o "$CELLWARDEN" ./cmd/cellwarden)
fi
python3 "$here/probe/run.py" "$SONIC_MGMT/tests/saitests" "$CELLWARDEN" "${1:-$here/probe/tomahawk2.yaml}"
