package main

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dialect/sonic"
	publish "github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// planDocument is a plan as JSON, with SONiC's pools beside it if they were
// asked for.
type planDocument struct {
	publish.PlanDocument
	SONiC *sonicJSON `json:"sonic_pools,omitempty"`
}

// sonicJSON is what SONiC would size its pools to.
type sonicJSON struct {
	Memory         unit.Bytes `json:"mmu_bytes"`
	Reserved       unit.Bytes `json:"reserved_bytes"` // all that is subtracted, shared headroom too
	Pool           unit.Bytes `json:"ingress_lossless_pool_bytes"`
	SharedHeadroom unit.Bytes `json:"shared_headroom_bytes"`
	Overcommits    bool       `json:"overcommits"` // the pool is below zero

	from sonic.PoolInputs
}

func sonicPools(in buffer.Intent) (*sonicJSON, error) {
	pool, err := sonic.PoolInputsOf(in)
	if err != nil {
		return nil, err
	}
	s := pool.Sizes()
	return &sonicJSON{pool.Memory, s.Reserved, s.Pool, s.SharedHeadroom, s.Overcommits(), pool}, nil
}

func sonicReport(s *sonicJSON) *report {
	t := section{title: "SONiC's pools, in bytes", columns: []string{"item", "count", "size", "xon", "xoff"}}
	t.row("memory (mmu_size)", "", count(s.Memory), "", "")
	for _, p := range s.from.Profiles {
		name := "profile"
		if p.Lossy {
			name = fmt.Sprintf("lossy profile, and %s of latency each", count(s.from.Latency))
		}
		t.row(name, count(p.Count), count(p.Size), count(p.XON), count(p.XOFF))
	}
	t.row("all that is reserved", "", count(s.Reserved), "", "")
	t.row("shared headroom pool", "", count(s.SharedHeadroom), "", "")
	t.row("ingress_lossless_pool", "", count(s.Pool), "", "")
	r := &report{sections: []section{t}}
	if s.Overcommits {
		r.foot = []string{fmt.Sprintf("SONiC would size ingress_lossless_pool to %v, %v below zero, after it has "+
			"written the profiles: it refuses none of them, and the pool keeps the size that it had",
			s.Pool, -s.Pool)}
	}
	return r
}
