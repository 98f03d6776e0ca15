// Package routes finds and keeps the shortest routes of a network of switches.
//
// Switches have routes to places and not to hosts: hosts on one switch are at one place, because all other switches
// lead to them over the same ports. The switch itself knows the port of each of its hosts. So a fat tree of 16,000
// hosts and 2,000 switches has 800 places, and 1.6 million routes in place of 32 million. A route is the number of a
// set of ports; equal sets are kept once for the whole network.
//
// A [Graph] is the switches and their links; [Table.Find] searches it once for each place. Ports of a switch have two
// numbers: one among all ports of the network, by which hosts are found, and one at the switch, which routes give.
package routes

// Site is where a host is.
type Site struct {
	Port  int32 // port of the switch that its link leads to, among all ports; -1: none
	Place int32 // number of that switch among those that have hosts; -1: none
}

// Table is the routes of all switches, but for what each [Switch] has of its own.
type Table struct {
	Sites []Site    // of each host
	sets  [][]int32 // sets of ports; the first one is empty
}

// Switch is the routes of one switch.
type Switch struct {
	First, Ports int32     // its first port among all ports, and how many it has
	Own          [][]int32 // ports that lead to each host, in place of those that were found; nil: none
	toward       []int32   // number of the set of ports that lead to each place
}

// Ways are the ports of a switch that lead to a host.
type Ways struct {
	direct int32 // the host's own port, if the host is on the switch; else -1
	ports  []int32
}

// To returns the ports of a switch that lead to a host.
func (t *Table) To(sw *Switch, host int32) Ways {
	if sw.Own != nil {
		return Ways{-1, sw.Own[host]}
	}
	at := t.Sites[host]
	if out := at.Port - sw.First; uint32(out) < uint32(sw.Ports) {
		return Ways{out, nil}
	}
	if at.Place < 0 {
		return Ways{-1, nil}
	}
	return Ways{-1, t.sets[sw.toward[at.Place]]}
}

// Choose returns the port that a flow takes, or -1. The flow's hash chooses among routes of one length.
func (w Ways) Choose(hash uint64) int32 {
	n := uint64(len(w.ports))
	switch {
	case n == 0:
		return w.direct
	case n&(n-1) == 0: // mostly; a division would take longer than all else here
		return w.ports[hash&(n-1)]
	}
	return w.ports[hash%n]
}

// List returns all of the ports.
func (w Ways) List() []int32 {
	if w.direct >= 0 {
		return []int32{w.direct}
	}
	return w.ports
}
