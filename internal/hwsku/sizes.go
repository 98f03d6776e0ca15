package hwsku

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/unit"
)

// row is a line of pg_profile_lookup.ini: what the buffer manager makes a profile of, for a speed and a cable.
type row struct {
	rate   unit.BitRate
	cable  unit.Length
	fields sonic.Entry
}

// size is what a port takes from the ingress pool at a speed, in bytes.
type size struct {
	rate     unit.BitRate
	own      unit.Bytes // what the size of the pool does not include: minima, and headroom unless it is shared
	headroom unit.Bytes // of a shared headroom pool, all groups
	largest  unit.Bytes // of these the largest
}

// speeds are those of SONiC's ports into which a breakout may divide a port (sonic-port.yang).
var speeds = []unit.BitRate{1 * unit.Gbps, 10 * unit.Gbps, 25 * unit.Gbps, 40 * unit.Gbps, 50 * unit.Gbps,
	100 * unit.Gbps, 200 * unit.Gbps, 400 * unit.Gbps, 800 * unit.Gbps, 1600 * unit.Gbps}

// mostParts is into how many ports a breakout divides one: each of eight lanes.
const mostParts = 8

// rates are the speeds for which the folder has numbers: those of the plan, and the lower ones of a breakout.
func (w *writer) rates() []unit.BitRate {
	have := map[unit.BitRate]bool{}
	fastest := unit.BitRate(0)
	for i := range w.ports {
		have[w.ports[i].Rate] = true
		fastest = max(fastest, w.ports[i].Rate)
	}
	for _, s := range speeds[1:] {
		if s < fastest && s >= fastest/mostParts {
			have[s] = true
		}
	}
	return slices.Sorted(maps.Keys(have))
}

// alone is a plan of one port of the switch at another speed. It has to fit, which one port does.
func (w *writer) alone(p *nos.Port, rate unit.BitRate) (nos.Plan, error) {
	in := w.plan.Intent
	port := p.Port
	if port.Rate != rate {
		port.Rate, port.Lanes = rate, 0
	}
	in.Ports = []buffer.Port{port}
	plan, err := buffer.New(in)
	if err == nil {
		err = plan.Err()
	}
	if err != nil {
		return nos.Plan{}, err
	}
	return nos.Plan{Intent: in, Layout: plan.Layout()}, nil
}

// lookup sets the rows of pg_profile_lookup.ini, for each speed and each cable. A plan whose headroom is of a table has
// the rows of the table alone.
func (w *writer) lookup() error {
	first := map[unit.Length]*nos.Port{} // with lossless groups, by cable
	own := map[string]*nos.Port{}        // by speed and cable
	for i := range w.ports {
		p := &w.ports[i]
		if len(p.Lossless()) == 0 {
			continue
		}
		first[p.Cable] = cmp.Or(first[p.Cable], p)
		own[speedOf(p.Rate)+p.Cable.String()] = cmp.Or(own[speedOf(p.Rate)+p.Cable.String()], p)
	}
	missing := map[unit.BitRate]bool{}
	for _, cable := range slices.Sorted(maps.Keys(first)) {
		for _, rate := range w.rates() {
			p, planned := own[speedOf(rate)+cable.String()]
			if !planned {
				p = first[cable]
			}
			fields, err := w.profile(p, rate)
			switch {
			case err != nil && planned:
				return fmt.Errorf("port %s: %w", p.Name, err)
			case err != nil:
				missing[rate] = true
				continue
			}
			w.rows = append(w.rows, row{rate, cable, fields})
		}
	}
	slices.SortStableFunc(w.rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.rate, b.rate), cmp.Compare(a.cable, b.cable))
	})
	if len(missing) > 0 {
		w.notes = append(w.notes, fmt.Sprintf("pg_profile_lookup.ini has no rows for %v: the sizing of the topology (%s) "+
			"has no headroom for these speeds, and ports of a breakout to them get no lossless groups",
			slices.Sorted(maps.Keys(missing)), w.plan.Intent.Sizing.Method()))
	}
	return nil
}

// profile are the fields of the lossless profile of a port at a speed.
func (w *writer) profile(p *nos.Port, rate unit.BitRate) (sonic.Entry, error) {
	plan, err := w.alone(p, rate)
	if err != nil {
		return nil, err
	}
	db, err := w.render(plan, sonic.Database{"PORT": {p.Name: {"speed": speedOf(rate)}},
		"BUFFER_POOL": {ingressPool: w.tables["BUFFER_POOL"][ingressPool]}})
	if err != nil {
		return nil, err
	}
	fields := db["BUFFER_PROFILE"][fmt.Sprintf(managed, speedOf(rate), metres(p.Cable))]
	if fields == nil {
		return nil, fmt.Errorf("the plan has no profile for its lossless groups at %v over %v", rate, p.Cable)
	}
	if fields["static_th"] != "" && w.tables["BUFFER_POOL"][ingressPool]["mode"] != "static" {
		return nil, fmt.Errorf("its lossless groups have a static limit in a dynamic pool: the buffer manager reads the " +
			"threshold of pg_profile_lookup.ini as dynamic_th there")
	}
	return fields, nil
}

func metres(l unit.Length) string { return strconv.FormatInt(nos.Metres(l), 10) + "m" }

// take sets what ports take, by role and speed: the ports of the plan, and those of a breakout for whose speed the
// sizing has a headroom. It refuses ports of a role and a speed that take different numbers.
func (w *writer) take() error {
	for r := range w.roles {
		taken := map[unit.BitRate]size{}
		for i := range w.ports {
			p := &w.ports[i]
			if w.roleOf[i] != r {
				continue
			}
			s := w.takes(p)
			if other, known := taken[p.Rate]; known && other != s {
				return fmt.Errorf("port %s takes other numbers of bytes than another port of %v over %s with the same entries",
					p.Name, p.Rate, w.roles[r].cable)
			}
			taken[p.Rate] = s
		}
		for _, rate := range w.rates() {
			if _, planned := taken[rate]; !planned {
				if plan, err := w.alone(w.roles[r].first, rate); err == nil { // else lookup has noted it
					taken[rate] = w.takes(&plan.Ports()[0])
				}
			}
		}
		var sizes []size
		for _, rate := range slices.Sorted(maps.Keys(taken)) {
			sizes = append(sizes, taken[rate])
		}
		w.sizes = append(w.sizes, sizes)
	}
	return nil
}

// pool sets the size of the ingress pool where the topology leaves it to the chip: the shared cells and, on a chip
// whose pools include them, headroom and minima.
func (w *writer) pool() {
	in := &w.plan.Intent
	if in.Pool.Size > 0 {
		w.includes.headroom, w.includes.reserved = in.Pool.SizeIncludesHeadroom, in.Pool.SizeIncludesReserved
		return
	}
	chip := audit.Result{Source: audit.Source{Chip: audit.Chip{Name: in.Chip.Name}}}
	if !chip.PoolIncludes() {
		return
	}
	w.includes.headroom, w.includes.reserved = true, true
	shared, _ := w.plan.Pools()
	w.tables.Set("BUFFER_POOL", ingressPool, sonic.Entry{"size": text(w.plan.WithOwn())})
	w.notes = append(w.notes, fmt.Sprintf("the size of %s, %d, includes headroom and minima, which is inferred for %s; "+
		"render --dialect sonic without --hwsku writes the shared cells alone, %d, which is never too much for the memory. "+
		"In the topology pool.size, size_includes_headroom and size_includes_reserved decide for both", ingressPool,
		w.plan.WithOwn(), in.Chip.Name, shared))
}

// takes is what a port takes from the ingress pool beside its size.
func (w *writer) takes(p *nos.Port) size {
	cell := w.plan.Intent.Chip.Cell
	out := size{rate: p.Rate}
	if !w.includes.reserved {
		out.own = cell.Bytes(cell.Holding(p.Reserved))
		for _, g := range p.Groups {
			out.own += g.Reserved
		}
	}
	for _, g := range p.Groups {
		switch {
		case w.plan.Intent.Pool.SharesHeadroom():
			out.headroom, out.largest = out.headroom+g.Headroom, max(out.largest, g.Headroom)
		case !w.includes.headroom:
			out.own += g.Headroom
		}
	}
	return out
}

// sums are what all ports of the plan take.
func (w *writer) sums() (out size) {
	for i := range w.ports {
		s := w.takes(&w.ports[i])
		out.own, out.headroom, out.largest = out.own+s.own, out.headroom+s.headroom, max(out.largest, s.largest)
	}
	return out
}
