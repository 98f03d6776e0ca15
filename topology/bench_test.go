package topology_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/topology"
)

// leaf is a switch of 64 ports as a program writes it: with two entries of ports, or with one for each port.
func leaf(listed bool) []byte {
	var b strings.Builder
	b.WriteString(`{"id": "leaf7", "chip": "tomahawk4", "headroom": {"method": "ieee802.1qbb"}, "classes": ` +
		`[{"name": "rdma", "priorities": [3], "lossless": true, "mtu": "4096B"}, ` +
		`{"name": "rest", "priorities": [0, 1, 2, 4]}], "ports": [`)
	if !listed {
		b.WriteString(`{"range": "Ethernet1-48", "speed": "400G", "cable": "7m"}, ` +
			`{"range": "Ethernet49-64", "speed": "400G", "cable": "90m"}]}`)
		return []byte(b.String())
	}
	for i := range 64 {
		length := "7m"
		if i >= 48 {
			length = "90m"
		}
		fmt.Fprintf(&b, `{"name": "Ethernet%d", "speed": "400G", "cable": %q}, `, i+1, length)
	}
	return []byte(strings.TrimSuffix(b.String(), ", ") + "]}")
}

// The cost of reading one of many topologies, and of admitting its ports.
func BenchmarkRead(b *testing.B) {
	for name, text := range map[string][]byte{"ranges": leaf(false), "ports": leaf(true)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := topology.Read("-", text, os.ReadFile)
				require.NoError(b, err)
			}
		})
		b.Run(name+"/admit", func(b *testing.B) {
			file, err := topology.Read("-", text, os.ReadFile)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				_, err := buffer.NewAdmission(file.Intent)
				require.NoError(b, err)
			}
		})
	}
}
