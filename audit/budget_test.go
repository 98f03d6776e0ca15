package audit_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// mostLossless is less than the ports that the catalogue's Tomahawk 5 has, so that the cells are counted.
const mostLossless = 256

// large is the base with this many ports, as the file of a switch.
func large(tb testing.TB, ports int) []byte {
	tb.Helper()
	d := base()
	d["DEVICE_METADATA"]["localhost"]["platform"] = "x86_64-arista_7060x6_64pe_b"
	for n := 4; n < ports; n++ {
		port := fmt.Sprintf("Ethernet%d", 4*n)
		d["PORT"][port] = d["PORT"]["Ethernet0"]
		if n < mostLossless {
			d["PORT_QOS_MAP"][port] = d["PORT_QOS_MAP"]["Ethernet0"]
		}
		d["CABLE_LENGTH"]["AZURE"][port] = "300m"
		for _, table := range []string{"BUFFER_PG", "BUFFER_QUEUE", "QUEUE"} {
			for _, key := range []string{"|0", "|0-2", "|3-4", "|3"} {
				if e := d[table]["Ethernet0"+key]; e != nil {
					d[table][port+key] = e
				}
			}
		}
	}
	text, err := json.MarshalIndent(d, "", "    ")
	require.NoError(tb, err)
	return text
}

// auditText reads and audits the configuration of a switch with the table of the base.
func auditText(tb testing.TB, text []byte, ports int) {
	tb.Helper()
	read, err := sonic.System.Read("config_db.json", text, audit.Chip{})
	require.NoError(tb, err)
	r := audit.Run(audit.Source{File: "config_db.json", Reading: read, Table: rows(tb, lookup)})
	require.Len(tb, r.Switch.Ports, ports)
	require.NotNil(tb, r.Bill, r.Unknown)
}

// BenchmarkConfig512 audits the configuration of a switch with 512 ports: 33 ms in 2026-11.
func BenchmarkConfig512(b *testing.B) {
	text := large(b, 512)
	b.ReportAllocs()
	for b.Loop() {
		auditText(b, text, 512)
	}
}

// TestConfig512Budget: 512 ports take at most 16 MiB of memory in all, which bounds the time too.
func TestConfig512Budget(t *testing.T) {
	text := large(t, 512)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	auditText(t, text, 512)
	runtime.ReadMemStats(&after)
	require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
}

// A reading keeps MaxFindings findings, and counts the others.
func TestReadingFindingsAreBounded(t *testing.T) {
	r := audit.NewReading("NX-OS", "leaf1.conf")
	for i := range audit.MaxFindings + 5 {
		r.Find("number-format", i+1, "interface", "a message")
	}
	require.Len(t, r.Findings, audit.MaxFindings)
	result := audit.Run(audit.Source{File: "leaf1.conf", Reading: r})
	require.Equal(t, audit.MaxFindings, len(result.Findings))
	require.GreaterOrEqual(t, result.Rest, 5)
}
