package ecn

import (
	"fmt"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// DCQCNBuffer is the switch of the DCQCN paper's section on buffers (Zhu et
// al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015):
// one shared buffer, every port with every priority congested. The paper's
// megabytes and kilobytes are decimal.
type DCQCNBuffer struct {
	Buffer     unit.Bytes // 12,000,000 there
	Ports      int        // 32
	Priorities int        // 8
	Flight     unit.Bytes // headroom of a port and priority: 22,400
}

// Validate refuses a buffer that its headroom fills, and counts out of range.
func (d DCQCNBuffer) Validate() error {
	if d.Ports < 1 || d.Ports > 4096 || d.Priorities < 1 || d.Priorities > 8 || d.Buffer < 0 || d.Buffer > 1<<40 ||
		d.Flight < 0 || d.Flight > 1<<24 {
		return fmt.Errorf(
			"%v for %d ports of %d priorities, %v in flight (accepted: to 1 TiB, 4096 ports, 8 priorities, 16 MiB)",
			d.Buffer, d.Ports, d.Priorities, d.Flight)
	}
	if d.rest() < 0 {
		return fmt.Errorf("the headroom of %d groups is above the buffer of %v", d.Ports*d.Priorities, d.Buffer)
	}
	return nil
}

// rest is what the headroom of every group leaves, in bytes.
func (d DCQCNBuffer) rest() int64 {
	return int64(d.Buffer) - int64(d.Ports)*int64(d.Priorities)*int64(d.Flight)
}

// PFC returns the highest static pause threshold in bytes with which nothing
// is lost: (B - p*n*t_flight)/(p*n) for n ports of p priorities. The paper
// prints 24.47 KB; it is 24,475 bytes.
func (d DCQCNBuffer) PFC() thresholds.Fraction {
	return thresholds.FractionOf(d.rest(), int64(d.Ports)*int64(d.Priorities))
}

// StaticECN returns the bound under which a marking threshold must stay when
// the pause threshold is static: t_PFC/n, because the queue may be filled from
// all n ports at once. The paper prints 0.85 KB; its own 24.475 KB over 32
// ports are 0.765 KB (764.84 bytes).
func (d DCQCNBuffer) StaticECN() thresholds.Fraction {
	pfc := d.PFC()
	return thresholds.FractionOf(pfc.Num, pfc.Den*int64(d.Ports))
}

// DynamicPFC returns the pause threshold in bytes that follows the shared
// occupancy s: beta*(B - p*n*t_flight - s)/p. An s beyond the rest gives 0.
func (d DCQCNBuffer) DynamicPFC(beta thresholds.Alpha, s unit.Bytes) thresholds.Fraction {
	num, den := beta.Ratio()
	return thresholds.FractionOf(num*max(d.rest()-max(int64(s), 0), 0), den*int64(d.Priorities))
}

// DynamicECN returns the bound under which a marking threshold must stay when
// the pause threshold follows the occupancy: beta*(B - p*n*t_flight) over
// p*n*(beta+1), 21,756 bytes for a beta of 8 (21.75 KB in the paper). The
// formula takes an occupancy of p*n*t_ECN, all priorities marking; the paper's
// text has n*t_ECN.
func (d DCQCNBuffer) DynamicECN(beta thresholds.Alpha) thresholds.Fraction {
	num, den := beta.Ratio()
	return thresholds.FractionOf(num*d.rest(), int64(d.Priorities)*int64(d.Ports)*(num+den))
}
