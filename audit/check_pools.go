package audit

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/unit"
)

// check is what the checks of one configuration share.
type check struct {
	*collector
	*Source
	sw *Switch
}

// pools checks the pools against the memory of the chip and against each other.
func (c *check) pools() {
	for _, p := range c.sw.Pools {
		c.poolOverChip(p)
		c.poolPlusXOFF(p)
		c.poolXOFF(p)
		c.poolOverLimit(p)
		c.poolAligned(p)
	}
	c.ingressSum()
	c.egressBelowIngress()
	c.reservedOverPool()
}

// memory names the chip and its memory for a message: "tomahawk 16777280".
func (c *check) memory() string {
	text := fmt.Sprintf("%s %d", c.Chip.Name, c.Chip.Most())
	if d, ok := disputed[c.Chip.Name]; ok {
		text += " (" + d.source + ")"
	}
	return text
}

// external tells whether the pool is in memory outside the chip, as those of Jericho are.
func (c *check) external() bool {
	return c.Chip.Known() && strings.Contains(c.Chip.Data.MemoryKind, "HBM")
}

// overMemory tells whether b bytes are more than the chip has, by every source.
func (c *check) overMemory(b unit.Bytes) bool {
	return c.Chip.Sourced() && !c.external() && b > c.Chip.Most()
}

func (c *check) poolOverChip(p *Pool) {
	if p.Size.Given && c.overMemory(p.Size.Bytes()) {
		c.add("pool-over-chip", p.Size.At, p.object(), numbers{"size": p.Size.Value, "chip": int64(c.Chip.Most())},
			"size %d is larger than the memory of %s by %d bytes", p.Size.Value, c.memory(), p.Size.Value-int64(c.Chip.Most()))
	}
}

// poolPlusXOFF compares size and xoff together. Where size may include xoff, the finding says so.
func (c *check) poolPlusXOFF(p *Pool) {
	if !p.Size.Given || p.XOFF.Value == 0 || !p.ingress() || !c.overMemory(p.Size.Bytes()+p.XOFF.Bytes()) {
		return
	}
	stated, given := c.SizeIncludesHeadroom.Get()
	if given && stated {
		return
	}
	f := c.add("pool-plus-xoff-over-chip", p.Size.At, p.object(), numbers{"size": p.Size.Value, "xoff": p.XOFF.Value,
		"chip": int64(c.Chip.Most())}, "size %d and xoff %d together are larger than the memory of %s by %d bytes",
		p.Size.Value, p.XOFF.Value, c.memory(), p.Size.Value+p.XOFF.Value-int64(c.Chip.Most()))
	if c.poolIncludes() == includesNo {
		f.Severity, f.Certain = finding.Error, true
		return
	}
	if !strings.HasPrefix(c.Chip.Name, "tomahawk6") {
		f.Severity = finding.Note
	}
	f.Suspect("ambiguous: on " + c.Chip.Name + " size may include xoff (inferred), and then it fits; " +
		"--size-includes-headroom says which")
}

// poolXOFF compares size and xoff. Where it is stated that they are two parts, either may be the larger one.
func (c *check) poolXOFF(p *Pool) {
	stated, given := c.SizeIncludesHeadroom.Get()
	if !p.Size.Given || p.XOFF.Value == 0 || p.XOFF.Value < p.Size.Value || given && !stated {
		return
	}
	f := c.add("pool-xoff-not-below-size", p.XOFF.At, p.object(), numbers{"size": p.Size.Value, "xoff": p.XOFF.Value},
		"xoff %d is not below size %d", p.XOFF.Value, p.Size.Value)
	switch {
	case given:
		f.Certain = true
	case c.poolIncludes() == includesNo:
		f.SuspectAs(finding.Warning, "on "+c.Chip.Name+" size does not include xoff, and a pool for headroom this large is "+
			"unusual")
	case strings.HasPrefix(c.Chip.Name, "tomahawk6"): // it is disputed (sonic-buildimage issue 28657)
		f.SuspectAs(finding.Warning, "ambiguous: on "+c.Chip.Name+" size may include xoff (inferred), and then nothing is "+
			"shared; --size-includes-headroom says which")
	}
}

// poolOverLimit compares with the largest pool that the chip's registers hold. Egress pools are not meant: their limit
// is not sourced.
func (c *check) poolOverLimit(p *Pool) {
	if !c.Chip.Sourced() || c.Chip.Data.MaxPool == 0 || p.Type != "ingress" || c.overMemory(p.Size.Bytes()) {
		return
	}
	slices := int64(len(c.Chip.Data.Slices))
	most := c.Chip.Data.Cell.Bytes(c.Chip.Data.MaxPool) * unit.Bytes(slices)
	if p.Size.Bytes() > most {
		c.add("pool-over-limit", p.Size.At, p.object(), numbers{"size": p.Size.Value, "largest": int64(most)},
			"size %d is more than %d, the largest pool of %s (%d cells in each of %d slices)", p.Size.Value, most,
			c.Chip.Name, c.Chip.Data.MaxPool, slices)
	}
}

// poolAligned checks size and xoff against the cell. A pool of the whole memory of NVIDIA's chips is rounded by the
// switch itself, and its xoff is in KiB.
func (c *check) poolAligned(p *Pool) {
	if !c.Chip.Known() || c.Chip.Data.Cell == 0 || c.Chip.Spectrum() {
		return
	}
	cell := int64(c.Chip.Data.Cell)
	for _, n := range []struct {
		name string
		Number
	}{{"size", p.Size}, {"xoff", p.XOFF}} {
		if n.Value%cell != 0 {
			c.add("cell-misaligned", n.At, p.object(), numbers{n.name: n.Value, "cell": cell},
				"%s %d is not a multiple of the %d-byte cell of %s", n.name, n.Value, cell, c.Chip.Name)
		}
	}
}

// ingressSum adds up the ingress pools.
func (c *check) ingressSum() {
	sum, n := int64(0), 0
	at := c.Place()
	for _, p := range c.sw.Pools {
		if p.Type == "ingress" && p.Size.Value > 0 {
			if sum, n = sum+p.Size.Value, n+1; n == 2 {
				at = p.Size.At
			}
		}
	}
	if n > 1 && c.overMemory(unit.Bytes(sum)) {
		c.add("ingress-sum-over-chip", at, "BUFFER_POOL", numbers{"sum": sum, "chip": int64(c.Chip.Most())},
			"the %d ingress pools together have %d, more than the memory of %s", n, sum, c.memory())
	}
}

// egressBelowIngress compares the lossless pools of both sides.
func (c *check) egressBelowIngress() {
	in, out := c.sw.losslessIngress(), c.sw.Pool("egress_lossless_pool")
	if in == nil || out == nil || !in.Size.Given || !out.Size.Given || out.Size.Value >= in.Size.Value {
		return
	}
	c.add("egress-lossless-below-ingress", out.Size.At, out.object(), numbers{"egress": out.Size.Value,
		"ingress": in.Size.Value}, "size %d is smaller than the %d of %s by %d bytes", out.Size.Value, in.Size.Value, in.Name,
		in.Size.Value-out.Size.Value)
}

// reservedOverPool adds up what the groups and queues of each pool have reserved. On Spectrum they are outside the
// pool: SONiC gives the pool what they leave (buffer_pool_mellanox.lua).
func (c *check) reservedOverPool() {
	if c.Chip.Spectrum() {
		return
	}
	reserved := map[*Pool]int64{}
	groups := map[*Pool]int{}
	for _, p := range c.sw.Ports {
		for _, b := range p.bounds() {
			if b == nil || b.Profile == nil || b.Profile.Pool == nil || !b.Profile.Size.Given {
				continue
			}
			reserved[b.Profile.Pool] += b.Profile.Size.Value
			groups[b.Profile.Pool]++
		}
	}
	for _, p := range c.sw.Pools {
		if p.Size.Value > 0 && reserved[p] > p.Size.Value {
			f := c.add("reserved-over-pool", p.Size.At, p.object(), numbers{"reserved": reserved[p], "size": p.Size.Value},
				"%d groups or queues reserve %d bytes together, more than size %d", groups[p], reserved[p], p.Size.Value)
			if !c.Chip.Sourced() {
				f.Suspect("whether they are part of the pool on this chip is not known")
			}
		}
	}
}
