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

// The cost of one switch of 64 ports among many, with a worker for each processor.
func BenchmarkPlanLines(b *testing.B) {
	text := fleetLines(1000)
	b.ReportAllocs()
	for b.Loop() {
		run(b.Context(), []string{"plan", "--lines", "-"}, strings.NewReader(text), io.Discard, io.Discard)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "us/switch")
}
