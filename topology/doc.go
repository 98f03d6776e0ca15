// Package topology reads the files that an operator writes, YAML or JSON: a topology, which becomes a [buffer.Intent];
// a chip file, which becomes a [buffer.Chip]; and a probe file, which becomes an [mmu.Probe].
//
// A topology says which chip the switch has, how headroom is sized, which classes of traffic there are, and which ports
// carry them over how much cable:
//
//	chip: tomahawk
//	headroom: {method: ieee802.1qbb, frame: 64B}
//	pool: {size: 10875072B, shared_headroom: 4194112B, size_includes_headroom: false}
//	shared_floor: 20%
//	classes:
//	  - {name: rdma, priorities: [3, 4], lossless: true, reserved: 1248B, alpha: 1, mtu: 4096B}
//	  - {name: best-effort, priorities: [0, 1, 2, 5, 6, 7], lossless: false, alpha: 8}
//	ports:
//	  - {range: "Ethernet1/1-32", speed: 100G, cable: 300m, mtu: 9216B}
//
// docs/topology.md lists all keys. The error of [Parse] has everything that is wrong with a file, each complaint with
// the file, the line, the path, the value and what is accepted.
package topology
