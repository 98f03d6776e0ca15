package fboss

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// Bounds of thrift's i32 and i64, less what no memory has: sums stay in 64 bits.
const (
	mostInt32 = 1<<31 - 1
	mostBytes = 1 << 46
)

// bufferPools reads bufferPoolConfigs.
func (r *reader) bufferPools() {
	for _, s := range r.root.Find("bufferPoolConfigs").Read().Active() {
		name := s.Read().Word(0)
		p := &audit.Pool{Name: name, Mode: "dynamic", At: r.At(s.Line), Object: "bufferPoolConfigs." + name}
		shared := r.number(s, "sharedBytes", p.Object, 0, mostInt32)
		headroom := r.number(s, "headroomBytes", p.Object, 0, mostInt32)
		reserved := r.number(s, "reservedBytes", p.Object, 0, mostInt32)
		if shared.Given {
			sum := shared.Value + reserved.Value
			if !r.excludes {
				sum += headroom.Value
			}
			p.Size = audit.Number{Value: sum * r.buffers, Given: true, At: shared.At}
		}
		if headroom.Given {
			p.XOFF = audit.Number{Value: headroom.Value * r.buffers, Given: true, At: headroom.At}
		}
		if r.pools[name] = p; shared.Given {
			r.shared[name] = shared.Value * r.buffers
		}
	}
}

// groups are the priority groups of a name of portPgConfigs.
type groups [8]*audit.Profile

// groupConfigs reads portPgConfigs.
func (r *reader) groupConfigs() {
	for _, s := range r.root.Find("portPgConfigs").Read().Active() {
		g := &groups{}
		r.groups[s.Read().Word(0)] = g
		for _, config := range s.Under {
			r.group(g, s.Word(0), config.Read())
		}
	}
}

// addPools adds the pools, with what they are for: a pool that a group names is of the ingress, one that a queue names
// of the egress. Of a pool that nothing names it is not known.
func (r *reader) addPools() {
	for _, name := range slices.Sorted(maps.Keys(r.pools)) {
		switch p := r.pools[name]; {
		case r.ofGroups[name] && r.ofQueues[name]:
			p.Type = "both"
		case r.ofGroups[name]:
			p.Type = "ingress"
		case r.ofQueues[name]:
			p.Type = "egress"
		default:
			p.Type = "unused"
		}
		r.AddPool(r.pools[name])
	}
}

// group reads a PortPgConfig.
func (r *reader) group(g *groups, of string, s *statements.Statement) {
	object := "portPgConfigs." + of
	id := r.number(s, "id", object, 0, 7)
	if !id.Given {
		if s.Find("id") == nil {
			r.Find("number-format", s.Line, object, "a group without an id: want 0 to 7")
		}
		return
	}
	object = fmt.Sprintf("%s[%d]", object, id.Value)
	p := &audit.Profile{Name: fmt.Sprintf("%s[%d]", of, id.Value), Object: object, At: r.At(s.Line), PoolName: s.Find(
		"bufferPoolName").Word(1), Size: r.number(s, "minLimitBytes", object, 0, mostInt32), XOFF: r.number(s,
		"headroomLimitBytes", object, 0, mostInt32), XON: r.number(s, "resumeBytes", object, 0, mostInt32),
		XONOffset: r.number(s, "resumeOffsetBytes", object, 0, mostInt32), StaticTh: r.number(s, "staticLimitBytes", object,
			0, mostBytes)}
	s.Find("name")
	r.sramThresholds(s, object)
	if factor := s.Find("scalingFactor"); factor != nil && !p.StaticTh.Given {
		p.DynamicTh = r.alpha(factor, object)
	}
	if p.XON.Given && p.XONOffset.Given {
		r.Find("pause-thresholds", p.XON.At.Line, object, "resumeBytes and resumeOffsetBytes are both set: want one of them")
	}
	if p.Pool = r.pools[p.PoolName]; p.Pool == nil {
		r.Missing(s.Line, object, p.PoolName, "entry of bufferPoolConfigs")
		return
	}
	if g[id.Value] != nil {
		r.Find("duplicate-key", s.Line, object, "the group is given twice")
	}
	g[id.Value] = p
	r.resume(p)
	r.AddProfile(p)
	r.ofGroups[p.PoolName] = true
	if p.Lossless() {
		p.Pool.Lossless = true
		if p.Pool.XOFF.Given && p.Pool.XOFF.Value == 0 {
			r.Find("no-drop-no-headroom", p.XOFF.At.Line, object,
				"headroomLimitBytes is %d, and headroomBytes of %s is 0", p.XOFF.Value, p.PoolName)
		}
	}
}

// sramThresholds reads the thresholds of chips that store packets in memory of their own and beside it.
func (r *reader) sramThresholds(s *statements.Statement, object string) {
	if factor := s.Find("sramScalingFactor"); factor != nil {
		r.alpha(factor, object)
	}
	r.number(s, "sramResumeOffsetBytes", object, 0, mostBytes)
	for _, of := range []string{"SharedXoffThresholdBytes", "SramXoffThresholdBytes"} {
		low, high := r.number(s, "min"+of, object, 0, mostBytes), r.number(s, "max"+of, object, 0, mostBytes)
		if low.Given && high.Given && low.Value > high.Value {
			r.Find("pause-thresholds", low.At.Line, object, "min%s %d is above max%[1]s %[3]d", of, low.Value, high.Value)
		}
	}
}

// resume compares where a group resumes with the most that it can hold before it pauses: its static limit, or what
// alpha gives it of an empty pool (alpha / (1 + alpha) of it), and its minimum. An offset of the limit or more is
// never reached before the group is empty.
func (r *reader) resume(p *audit.Profile) {
	at, what := p.XONOffset, "resumeOffsetBytes"
	if p.XON.Given {
		at, what = p.XON, "resumeBytes"
	}
	if !at.Given || !p.Lossless() {
		return
	}
	limit, of := p.StaticTh.Value, "the group's static limit"
	if !p.StaticTh.Given {
		shared, known := r.shared[p.PoolName]
		if !known || !p.DynamicTh.Given {
			return
		}
		limit, of = alone(shared, p.DynamicTh.Value), "what its scalingFactor gives it of an empty pool"
	}
	if limit += p.Size.Value; at.Value >= limit {
		r.Find("pause-thresholds", at.At.Line, p.Object, "%s %d is not below %d, %s and its minimum", what,
			at.Value, limit, of)
	}
}

// alone is what a group with an alpha of 2^th holds of a pool when it is alone (Choudhury and Hahne 1998).
func alone(pool, th int64) int64 {
	if th >= 0 {
		return pool / ((1 << th) + 1) << th
	}
	return pool / ((1 << -th) + 1)
}

// factors are the scaling factors as powers of two, by the numbers of MMUScalingFactor (switch_config.thrift).
var factors = map[string]int64{"0": 0, "1": 3, "2": -7, "3": -6, "4": -5, "5": -4, "6": -3, "7": -2, "8": -1, "9": 1,
	"10": 2, "11": -15, "12": 7, "ONE": 0, "EIGHT": 3, "ONE_128TH": -7, "ONE_64TH": -6, "ONE_32TH": -5, "ONE_16TH": -4,
	"ONE_8TH": -3, "ONE_QUARTER": -2, "ONE_HALF": -1, "TWO": 1, "FOUR": 2, "ONE_32768TH": -15,
	"ONE_HUNDRED_TWENTY_EIGHT": 7}

// alpha reads a scaling factor.
func (r *reader) alpha(s *statements.Statement, object string) audit.Number {
	th, known := factors[s.Word(1)]
	if !known {
		r.Find("number-format", s.Line, object, "scalingFactor is %s: want a number of MMUScalingFactor, 0 to 12",
			fielderr.Quote(s.Word(1)))
		return audit.Number{}
	}
	return audit.Number{Value: th, Given: true, At: r.At(s.Line)}
}
