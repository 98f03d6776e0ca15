package qos

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// The buffer of priority groups is a buffer allocation profile that the input of an
// interface is bound to. This is group 3 with 1248 reserved bytes and alpha 2^-3:
//
// 	"buffer-allocation-profile": [{"name": "cellwarden-pg-b2ca4b59ec71", "queues": {"queue": [{
// 	  "name": "3",
// 	  "config": {
// 	    "name": "3",
// 	    "dedicated-buffer": "1248",
// 	    "use-shared-buffer": true,
// 	    "shared-buffer-limit-type": "DYNAMIC_BASED_ON_SCALING_FACTOR",
// 	    "dynamic-limit-scaling-factor": -3
// 	  }}]}}]

// The parts of a buffer allocation profile in openconfig-qos.
type (
	ocAllocation = oc.OpenconfigQos_Qos_BufferAllocationProfiles_BufferAllocationProfile
	ocShare      = oc.OpenconfigQos_Qos_BufferAllocationProfiles_BufferAllocationProfile_Queues_Queue_Config
)

const (
	dynamicLimit = oc.OpenconfigQos_SHARED_BUFFER_LIMIT_TYPE_DYNAMIC_BASED_ON_SCALING_FACTOR
	staticLimit  = oc.OpenconfigQos_SHARED_BUFFER_LIMIT_TYPE_STATIC
)

// groupShare is the buffer of one priority group, in cells. The zero groupShare is
// an empty group. The limit of its shared cells is dynamic or static, never both.
type groupShare struct {
	reserved int64
	dynamic  bool // the limit is 2^alpha times the free shared cells
	alpha    int32
	static   int64 // the limit in cells; 0: none
}

// allocation is the buffer of the priority groups of a port: the content of a buffer allocation profile that an input
// is bound to. OpenConfig has no priority groups: group n is the queue with number n of the profile.
type allocation [pg.PerPort]groupShare

func (a allocation) name(t target) string {
	if a == (allocation{}) {
		return ""
	}
	var b strings.Builder
	for n, s := range a {
		if s == (groupShare{}) {
			continue
		}
		fmt.Fprintf(&b, "%d: %d bytes, shared %v %d\n", n, t.cell.Bytes(cells.Count(s.reserved)), s.dynamic, s.alpha)
		if s.static > 0 {
			fmt.Fprintf(&b, "%d: up to %d bytes\n", n, t.cell.Bytes(cells.Count(s.static)))
		}
	}
	return prefixAllocation + digest(b.String())
}

func (a allocation) write(qos *oc.OpenconfigQos_Qos, name string, t target) {
	profile := qos.GetOrCreateBufferAllocationProfiles().GetOrCreateBufferAllocationProfile(name)
	profile.GetOrCreateConfig().Name = &name
	for n, s := range a {
		if s == (groupShare{}) {
			continue
		}
		t.writeQueue(qos, n)
		queue := t.queue(n)
		config := profile.GetOrCreateQueues().GetOrCreateQueue(queue).GetOrCreateConfig()
		config.Name = &queue
		// dedicated-buffer is written even if it is 0: then it is the plan's and no default.
		config.DedicatedBuffer = new(uint64(t.cell.Bytes(cells.Count(s.reserved))))
		config.UseSharedBuffer = new(s.dynamic || s.static > 0)
		switch {
		case s.dynamic:
			config.SharedBufferLimitType = dynamicLimit
			config.DynamicLimitScalingFactor = new(s.alpha)
		case s.static > 0:
			config.SharedBufferLimitType = staticLimit
			config.StaticSharedBufferLimit = new(uint32(t.bytes(buffer.GroupStatic, s.static)))
		}
	}
}

// readAllocation reads a profile. Reserved bytes round up to cells.
func (t target) readAllocation(name string, from *ocAllocation, bad *fielderr.List) (a allocation) {
	for n := range a {
		queue := t.queue(n)
		config := from.GetQueues().GetQueue(queue).GetConfig()
		if config == nil {
			continue
		}
		reserved := readBytes(config.DedicatedBuffer, pathText(pathPGQueue, name, queue)+"/dedicated-buffer", bad)
		a[n].reserved = int64(t.cell.Holding(reserved))
		// Without use-shared-buffer the other leaves about sharing have no meaning.
		if isTrue(config.UseSharedBuffer) {
			a[n].readLimit(config, t.cell, pathText(pathPGQueue, name, queue), bad)
		}
	}
	return a
}

// readLimit reads the limit of shared cells. A static one rounds down to cells, so
// that the group never takes more than the switch allows.
func (s *groupShare) readLimit(config *ocShare, cell cells.Size, path string, bad *fielderr.List) {
	factor, most := config.DynamicLimitScalingFactor, config.StaticSharedBufferLimit
	switch config.SharedBufferLimitType {
	case dynamicLimit:
		if s.dynamic = true; factor == nil {
			bad.Add(path+"/dynamic-limit-scaling-factor", "none", "an exponent where the limit is dynamic")
			return
		}
		s.alpha = *factor
	case staticLimit:
		if most == nil {
			bad.Add(path+"/static-shared-buffer-limit", "none", "bytes where the limit is static; a time is not read")
			return
		}
		s.static = int64(cell.Within(unit.Bytes(*most)))
	default:
		bad.Add(path+"/shared-buffer-limit-type", enumText(config.SharedBufferLimitType),
			"STATIC or DYNAMIC_BASED_ON_SCALING_FACTOR where use-shared-buffer is true")
	}
}

// The minima of egress queues are a buffer allocation profile, too. The output of an
// interface is bound to it, and of each queue it has dedicated-buffer alone. Inputs and
// outputs have different profiles even with equal numbers, because their prefixes differ.

// queueMinima are the reserved cells of the egress queues of a port: the content
// of a buffer allocation profile that an output is bound to. 0: none.
type queueMinima [pg.PerPort]int64

func (m queueMinima) name(t target) string {
	if m == (queueMinima{}) {
		return ""
	}
	var b strings.Builder
	for n, v := range m {
		if v > 0 {
			fmt.Fprintf(&b, "%d: %d bytes\n", n, t.cell.Bytes(cells.Count(v)))
		}
	}
	return prefixMinima + digest(b.String())
}

// write sets no limit of shared cells: the switch keeps its own.
func (m queueMinima) write(qos *oc.OpenconfigQos_Qos, name string, t target) {
	profile := qos.GetOrCreateBufferAllocationProfiles().GetOrCreateBufferAllocationProfile(name)
	profile.GetOrCreateConfig().Name = &name
	for n, v := range m {
		if v == 0 {
			continue
		}
		t.writeQueue(qos, n)
		queue := t.queue(n)
		config := profile.GetOrCreateQueues().GetOrCreateQueue(queue).GetOrCreateConfig()
		config.Name, config.DedicatedBuffer = &queue, new(uint64(t.cell.Bytes(cells.Count(v))))
	}
}

// readMinima reads a profile as an output uses it. Bytes round up to cells.
func (t target) readMinima(name string, from *ocAllocation, bad *fielderr.List) (m queueMinima) {
	for n := range m {
		queue := t.queue(n)
		if config := from.GetQueues().GetQueue(queue).GetConfig(); config != nil {
			reserved := readBytes(config.DedicatedBuffer, pathText(pathPGQueue, name, queue)+"/dedicated-buffer", bad)
			m[n] = int64(t.cell.Holding(reserved))
		}
	}
	return m
}
