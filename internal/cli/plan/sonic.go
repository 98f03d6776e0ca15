package plan

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/nos/sonic"
	publish "github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// This file adds the pools that SONiC computes to the plan's report. SONiC's buffer
// manager computes its pools itself, so its sizes can differ from the plan.

// PlanDocument is a plan as JSON, with SONiC's pools if --sonic-pools is given.
type PlanDocument struct {
	publish.PlanDocument
	Set   []string   `json:"set,omitempty"` // changes of the topology for which the plan is: PATH=VALUE
	SONiC *sonicJSON `json:"sonic_pools,omitempty"`
	// Measured is how much of the headroom was used, with --measured.
	Measured *measuredJSON `json:"measured,omitempty"`
}

// sonicJSON is the pool sizes that SONiC computes.
type sonicJSON struct {
	Memory unit.Bytes `json:"mmu_bytes"`
	// everything that is subtracted, also the shared headroom
	Reserved       unit.Bytes `json:"reserved_bytes"`
	Pool           unit.Bytes `json:"ingress_lossless_pool_bytes"` // if it is the only ingress pool without a size
	EachOfTwo      unit.Bytes `json:"each_of_two_ingress_pools_bytes"`
	SharedHeadroom unit.Bytes `json:"shared_headroom_bytes"`
	Overcommits    bool       `json:"overcommits"` // the pool is below zero

	from sonic.PoolInputs
}

// sonicPools computes the pools of SONiC for an intent. It refuses chips that SONiC
// has no formula for.
func sonicPools(in buffer.Intent) (*sonicJSON, error) {
	pool, err := sonic.PoolInputsOf(in)
	if err != nil {
		return nil, err
	}
	s := pool.Sizes()
	two := pool
	two.Pools = 2
	return &sonicJSON{pool.Memory, s.Reserved, s.Pool, two.Sizes().Pool, s.SharedHeadroom, s.Overcommits(), pool}, nil
}

// sonicReport lists the terms of SONiC's pool computation. A pool below zero is a
// warning: SONiC refuses no profile for it.
func sonicReport(s *sonicJSON) *cli.Screen {
	t := cli.Section{Title: "SONiC's pools, in bytes", Columns: []string{"item", "count", "size", "xon", "xoff"}}
	t.Row("memory (mmu_size)", "", cli.Count(s.Memory), "", "")
	for _, p := range s.from.Profiles {
		name := "profile"
		if p.Lossy {
			name = fmt.Sprintf("lossy profile, and %s of latency each", cli.Count(s.from.Latency))
		}
		t.Row(name, cli.Count(p.Count), cli.Count(p.Size), cli.Count(p.XON), cli.Count(p.XOFF))
	}
	t.Row("sum of reserved memory", "", cli.Count(s.Reserved), "", "")
	t.Row("shared headroom pool", "", cli.Count(s.SharedHeadroom), "", "")
	t.Row("ingress_lossless_pool, the only ingress pool", "", cli.Count(s.Pool), "", "")
	t.Row("ingress_lossless_pool, beside an ingress_lossy_pool", "", cli.Count(s.EachOfTwo), "", "")
	r := &cli.Screen{Sections: []cli.Section{t}}
	r.Foot = []string{"SONiC's templates for NVIDIA have one ingress pool (Mellanox-*) or two (ACS-*), which share the " +
		"memory: " +
		"the plan does not say which the switch has"}
	if s.Overcommits {
		r.Foot = []string{fmt.Sprintf("SONiC would compute a size of %v for ingress_lossless_pool, %v below zero. It "+
			"writes the "+
			"profiles before and refuses none of them. The pool keeps its previous size",
			s.Pool, -s.Pool)}
	}
	return r
}
