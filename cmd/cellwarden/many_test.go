package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// fleetLines returns n different switches of 64 ports as JSON Lines.
func fleetLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id": "leaf%d", "chip": "tomahawk4", "headroom": {"method": "ieee802.1qbb"}, `+
			`"classes": [{"name": "rdma", "priorities": [3], "lossless": true, "mtu": "4096B"}, `+
			`{"name": "rest", "priorities": [0, 1, 2, 4]}], `+
			`"ports": [{"range": "Ethernet1-48", "speed": "400G", "cable": "%dm"}, `+
			`{"range": "Ethernet49-64", "speed": "400G", "cable": "%dm"}]}`+"\n", i, 1+i%30, 50+i)
	}
	return b.String()
}

// listedLines returns n different switches of 64 ports, each port in an entry of its own. length is the cable of a
// port.
func listedLines(n int, length func(leaf, port int) int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id": "leaf%d", "chip": "tomahawk4", "headroom": {"method": "ieee802.1qbb"}, `+
			`"classes": [{"name": "rdma", "priorities": [3], "lossless": true, "mtu": "4096B"}, `+
			`{"name": "rest", "priorities": [0, 1, 2, 4]}], "ports": [`, i)
		for k := range 64 {
			if k > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, `{"name": "Ethernet%d", "speed": "400G", "cable": "%dm"}`, k+1, length(i, k))
		}
		b.WriteString("]}\n")
	}
	return b.String()
}

// twoLengths is a leaf with cables to servers and to spines.
func twoLengths(leaf, port int) int {
	if port < 48 {
		return 1 + leaf%30
	}
	return 50 + leaf
}

// manyLengths is a leaf whose cables differ.
func manyLengths(leaf, port int) int { return 3 + (leaf*7+port*13)%300 }

// The cost of one switch of 64 ports among many, with a worker for each processor.
func BenchmarkPlanLines(b *testing.B) {
	for name, text := range map[string]string{"ranges": fleetLines(1000), "ports": listedLines(1000, twoLengths),
		"lengths": listedLines(1000, manyLengths)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				run(b.Context(), []string{"plan", "--lines", "-"}, strings.NewReader(text), io.Discard, io.Discard)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "us/switch")
		})
	}
}
