package plan

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/shipped"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/report"
)

// This file adds the pools that SONiC computes to the plan's report. SONiC's buffer
// manager computes its pools itself, so its sizes can differ from the plan.

// sonicPools computes the pools of SONiC for an intent. It refuses chips that SONiC
// has no formula for. All sizes are bytes. The inputs are returned too, since their terms are printed.
func sonicPools(in buffer.Intent) (*report.SONiCPools, sonic.PoolInputs, error) {
	pool, err := sonic.PoolInputsOf(in)
	if err != nil {
		return nil, pool, err
	}
	return shipped.Running(pool), pool, nil
}

// sonicScreen lists the terms of SONiC's pool computation. A pool below zero is a
// warning: SONiC refuses no profile for it. A row is a kind of profile with how many groups or queues have it.
func sonicScreen(s *report.SONiCPools, pool *sonic.PoolInputs) *cli.Screen {
	// Bytes and not cells: they are compared with BUFFER_POOL_TABLE of the switch, which has bytes.
	t := cli.Section{Title: "SONiC's pools, in bytes", Columns: []string{"item", "count", "size", "xon", "xoff"}}
	t.Row("memory (mmu_size)", "", cli.Count(s.Memory), "", "")
	// xon and xoff of a lossy profile are 0.
	for _, p := range pool.Profiles {
		name := "profile"
		if p.Lossy {
			name = fmt.Sprintf("lossy profile, and %s of latency each", cli.Count(pool.Latency))
		}
		t.Row(name, cli.Count(p.Count), cli.Count(p.Size), cli.Count(p.XON), cli.Count(p.XOFF))
	}
	t.Row("sum of reserved memory", "", cli.Count(s.Reserved), "", "")
	t.Row("shared headroom pool", "", cli.Count(s.SharedHeadroom), "", "")
	t.Row("ingress_lossless_pool, the only ingress pool", "", cli.Count(s.Pool), "", "")
	t.Row("ingress_lossless_pool, beside an ingress_lossy_pool", "", cli.Count(s.EachOfTwo), "", "")
	r := &cli.Screen{Sections: []cli.Section{t}}
	r.Foot = []string{"SONiC's templates for NVIDIA have one ingress pool (Mellanox-*) or two (ACS-*), which share the " +
		"memory: the plan does not say which the switch has"}
	// This replaces the other remark: the number of pools does not matter where even one does not fit.
	if s.Overcommits {
		r.Foot = []string{fmt.Sprintf("SONiC would compute a size of %v for ingress_lossless_pool, %v below zero. It "+
			"writes the "+
			"profiles before and refuses none of them. The pool keeps its previous size",
			s.Pool, -s.Pool)}
	}
	return r
}
