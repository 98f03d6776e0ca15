#!/bin/sh
# instructions.sh: prints how many instructions, and misses of a cache of 32 KiB, one turn of the benchmarks of admission
# takes, so that a regression is seen on a busy machine too: a packet that is admitted and released (buffer/mmu), and a
# question, an admission and a plan from nothing of 512 ports with 8 groups (buffer).
#
# It needs valgrind, Linux, and a minute. A benchmark is counted with two numbers of turns, and the difference is
# divided by theirs: so what comes before and after the turns does not count, and the loop does.
set -eu
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# count PROGRAM BENCHMARK TURNS: instructions, and misses of data.
count() {
	GODEBUG=asyncpreemptoff=1 GOMAXPROCS=1 GOGC=off valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		--cache-sim=yes --D1=32768,8,64 --LL=1048576,16,64 \
		"$dir/$1" -test.run '^$' -test.bench "$2" -test.benchtime "$3x" 2>&1 >"$dir/stdout" |
		awk '{ gsub(",", "") } / I +refs:/ { i = $NF } / D1 +misses:/ { m = $4 } END { print i, m }'
}

# measure PROGRAM BENCHMARK FEW MANY
measure() {
	set -- "$@" $(count "$1" "$2" "$3") $(count "$1" "$2" "$4")
	awk -v name="$2" -v n="$(($4 - $3))" -v a="$5" -v am="$6" -v b="$7" -v bm="$8" \
		'BEGIN { gsub(/[$^]/, "", name); printf "%-36s %14.0f %10.2f\n", name, (b - a) / n, (bm - am) / n }'
}

go test -c -o "$dir/mmu" ./mmu
go test -c -o "$dir/buffer" .
printf '%-36s %14s %10s\n' benchmark instructions misses
measure mmu '^BenchmarkMMUAdmitRelease$/^dynamic$' 1000 101000
measure mmu '^BenchmarkMMUAdmitRelease$/^egress$' 1000 101000
measure mmu '^BenchmarkMMUAdmitRelease$/^take-dynamic$' 1000 101000
measure mmu '^BenchmarkMMUAdmitRelease$/^take-egress$' 1000 101000
measure buffer '^BenchmarkWhatIf$' 1000 21000
measure buffer '^BenchmarkReplan$' 10 110
measure buffer '^BenchmarkPlan$' 10 60
