package ecn

import (
	"fmt"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// DCQCNBuffer is the switch in the DCQCN paper's section on buffers (Zhu et
// al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015):
// one shared buffer, with every priority of every port congested. The paper's
// megabytes and kilobytes are decimal.
type DCQCNBuffer struct {
	Buffer     unit.Bytes // 12,000,000 in the paper
	Ports      int        // 32 in the paper
	Priorities int        // 8 in the paper
	Flight     unit.Bytes // headroom of a port and priority: 22,400 in the paper
}

// Validate refuses a buffer that is smaller than its headroom, and values out
// of range.
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

// rest is what the headroom of all groups leaves, in bytes.
func (d DCQCNBuffer) rest() int64 {
	return int64(d.Buffer) - int64(d.Ports)*int64(d.Priorities)*int64(d.Flight)
}

// PFC returns the highest static pause threshold in bytes with which nothing is
// lost: (B - p*n*t_flight)/(p*n) for n ports with p priorities. The paper
// prints 24.47 KB; it is 24,475 bytes.
func (d DCQCNBuffer) PFC() thresholds.Fraction {
	return thresholds.FractionOf(d.rest(), int64(d.Ports)*int64(d.Priorities))
}

// StaticECN returns the upper bound of a marking threshold when the pause
// threshold is static: t_PFC/n, because all n ports can fill the queue at once.
// The paper prints 0.85 KB; its own 24.475 KB divided by 32 ports are 0.765 KB
// (764.84 bytes).
func (d DCQCNBuffer) StaticECN() thresholds.Fraction {
	pfc := d.PFC()
	return thresholds.FractionOf(pfc.Num, pfc.Den*int64(d.Ports))
}

// DynamicPFC returns the pause threshold in bytes for a shared occupancy s:
// beta*(B - p*n*t_flight - s)/p. It is 0 if s is larger than the rest.
func (d DCQCNBuffer) DynamicPFC(beta thresholds.Alpha, s unit.Bytes) thresholds.Fraction {
	num, den := beta.Ratio()
	return thresholds.FractionOf(num*max(d.rest()-max(int64(s), 0), 0), den*int64(d.Priorities))
}

// DynamicECN returns the upper bound of a marking threshold when the pause
// threshold follows the occupancy: beta*(B - p*n*t_flight) / (p*n*(beta+1)),
// 21,756 bytes for a beta of 8 (21.75 KB in the paper). The formula is for an
// occupancy of p*n*t_ECN, with all priorities marking; the paper's text has
// n*t_ECN.
func (d DCQCNBuffer) DynamicECN(beta thresholds.Alpha) thresholds.Fraction {
	num, den := beta.Ratio()
	return thresholds.FractionOf(num*d.rest(), int64(d.Priorities)*int64(d.Ports)*(num+den))
}
