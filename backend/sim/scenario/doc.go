// Package scenario reads a scenario file, runs it in the simulator, and
// compares the result with what the file expects.
//
// A scenario file (YAML or JSON) has a topology, the hosts and switches, the
// flows and collectives, optional failures, and the expected results. [Read] reports everything
// that is wrong with the file at once, each complaint with its line and path.
// [Scenario.Run] runs it, and writes a trace (CSV), a packet capture (pcap) and
// a page of plots (HTML) if asked to. The same file and seed give the same run
// and the same bytes in these files.
//
// A switch can take its memory from a buffer plan: the file then names a
// topology file in place of pools and groups. [Scenario.Attach] makes such a
// switch available as an ASIC, whose registers a controller changes while
// packets flow.
//
// docs/scenarios.md lists all keys.
package scenario
