#!/bin/sh
# instructions.sh [WORK...]: prints how many instructions one hop takes in the works of BenchmarkSim, so that a
# regression is seen on a busy machine too. Without arguments it counts those of the table in docs/simulator.md.
#
# It needs valgrind, Linux, and some 30 seconds for each million hops. Only Sim.Run is counted. The same program
# gives the same number to about one in a thousand.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- star-64 star-64-ack star-1000 classes-64 everything-64 tree-16 tree-128 tree-128-ack tree-1024
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go test -c -o "$dir/fabric.test" .
package=$(go list .)
printf '%-16s %12s %14s %10s\n' work hops instructions per-hop
for work; do
	# With one thread, no collections and no signals, nothing else runs between the beginning and the end of Run.
	GODEBUG=asyncpreemptoff=1 GOMAXPROCS=1 GOGC=off valgrind --tool=callgrind \
		--callgrind-out-file="$dir/out" --collect-atstart=no \
		--toggle-collect="$package.(*Sim).Run" "$dir/fabric.test" -test.run '^$' -test.benchtime 1x \
		-test.bench "^BenchmarkSim\$/^$work\$" >"$dir/stdout" 2>"$dir/stderr"
	hops=$(awk '{ for (i = 2; i <= NF; i++) if ($i == "hops/op") print int($(i-1)) }' "$dir/stdout")
	count=$(sed -n 's/.*Collected : *//p' "$dir/stderr")
	printf '%-16s %12s %14s %10s\n' "$work" "$hops" "$count" "$((count / hops))"
	[ -z "${KEEP:-}" ] || cp "$dir/out" "$KEEP.$work"
done
