package native_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/unit"
)

// large is a switch as it comes with so many ports, and a plan for it.
func large(t testing.TB, ports int) (sonicfake.DB, nos.Plan) {
	db := shipped()
	names := make([]string, ports)
	for i := range names {
		names[i] = fmt.Sprintf("Ethernet%d", 4*i)
		db["PORT"][names[i]] = map[string]string{"speed": "100000"}
		db["PORT_QOS_MAP"][names[i]] = map[string]string{"tc_to_pg_map": "AZURE"}
		db["CABLE_LENGTH"]["AZURE"][names[i]] = "5m"
	}
	return db, planned(t, 5*unit.Metre, names...)
}

// BenchmarkPush is a plan's way to a switch on loopback: read, compare, send, read back, compare.
func BenchmarkPush(b *testing.B) {
	for _, ports := range []int{8, 64} {
		b.Run(fmt.Sprint(ports), func(b *testing.B) {
			db, plan := large(b, ports)
			s := sonicfake.New(db)
			s.ASIC, s.Version = "th", "SONiC.20251110.17"
			client := served(b, s, 0)
			b.ReportAllocs()
			for b.Loop() {
				s.Load(db)
				p, err := push(b, client, &native.SONiC{Plan: plan})
				require.NoError(b, err)
				require.Equal(b, backend.Applied, p.Report.State)
			}
		})
	}
}
