// Package scenario reads the file that says what a simulation is to show, runs
// it, and compares what came of it with what the file expects:
//
//	name: incast absorbed
//	lesson: four senders at once fill the shared pool, and pauses keep every frame
//	until: 1ms
//	classes:
//	  - {name: rdma, priority: 3, lossless: true}
//	topology: {kind: incast, senders: 4, rate: 100G, cable: 100m}
//	host: {pfc: [rdma]}
//	switch:
//	  cell: 208B
//	  pool: 2MiB
//	  pfc: [rdma]
//	  groups:
//	    rdma: {alpha: 1/8, headroom: 64KiB, xon_offset: 2KiB}
//	flows:
//	  - {from: all, to: receiver, class: rdma, frame: 1024B, size: 1MiB}
//	expect:
//	  drops: 0
//	  pause_sent: ">0"
//
// docs/scenarios.md lists every key. What is wrong with a file is reported at
// once, each complaint with its line and path. The same file and seed give the
// same run, and byte for byte the same files of it.
package scenario
