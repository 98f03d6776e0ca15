// Package dependency has the channel dependency graph of a fabric (Dally and Seitz, IEEE Transactions on Computers
// C-36, 1987): which link, full of paused frames, can wait for which other.
//
// A channel is a cable, a direction and a priority. A channel depends on a second one if a frame that arrives over the
// first leaves over the second, and both are lossless: then the first can be paused until the second is not. If no
// channel depends on itself over others, no pause can lock. A cycle is necessary for a lock and not sufficient.
//
//	g := dependency.New(n, 1)
//	n.Route(g, 0, dependency.Ways{Rule: dependency.Shortest}, all, all, nil)
//	components, _ := g.Components() // none: no cycle
//
// Everything is numbers here; package fabric knows the names.
package dependency

import "cmp"

// Network is the switches, hosts and cables of a fabric. Nodes have numbers from 0, and the ports of a node from 0.
type Network struct {
	Ports    [][]Port // of each node
	Forwards []bool   // of each node: false for a host, which sends and receives but passes nothing on
	first    []int    // of each node: the number of the channel that leaves it by its port 0
	node     []int32  // of each channel: the node that it leaves
}

// Port is one end of a cable.
type Port struct {
	Node int // at the other end
	Port int // of that node
	Down bool
	Kind Kind // of the direction that leaves here
}

// Kind says where a direction of a cable goes by the ranks of its ends.
type Kind int8

const (
	Level Kind = iota // both ends have the same rank, or none
	Up                // to a higher rank
	Down              // to a lower rank
	kinds
)

// KindOf returns the kind of a direction between two ranks.
func KindOf(from, to int) Kind { return [...]Kind{Down, Level, Up}[1+cmp.Compare(to, from)] }

// Index numbers the channels. It has to be called when all ports are there, and before anything else.
func (n *Network) Index() {
	n.first = make([]int, len(n.Ports)+1)
	n.node = n.node[:0]
	for v, ports := range n.Ports {
		n.first[v+1] = n.first[v] + len(ports)
		for range ports {
			n.node = append(n.node, int32(v))
		}
	}
}

// Channels returns how many channels of a priority there are: two of each cable.
func (n *Network) Channels() int { return n.first[len(n.Ports)] }

// Channel returns the number of the channel that leaves a node by a port.
func (n *Network) Channel(node, port int) int { return n.first[node] + port }

// Place returns the node and the port that a channel leaves.
func (n *Network) Place(channel int) (node, port int) {
	node = int(n.node[channel])
	return node, channel - n.first[node]
}

// head returns the node that a channel arrives at.
func (n *Network) head(channel int) int {
	node, port := n.Place(channel)
	return n.Ports[node][port].Node
}

// into returns the channel that arrives at a node by a port.
func (n *Network) into(node, port int) int {
	p := n.Ports[node][port]
	return n.first[p.Node] + p.Port
}
