package topology

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// defaultMTU is the longest frame of a port without an mtu. It is the usual jumbo frame: if the port's frames are
// shorter, the headroom is too large, which is the safe side.
const defaultMTU unit.Bytes = 9216

// usualPorts is how many ports there is room for before any is read.
const usualPorts = 64

// reader reads one file. It embeds the reader of documents, which has the lines and the complaints, and adds what the
// intent does not keep of the file.
type reader struct {
	*document.Reader
	entries []Entry   // of the file's ports
	made    int       // ports, of all entries
	one     [1]string // the name of the last port of an entry of its own
	// The last entry whose keys were read without a complaint, and its port; nil: there is none.
	last     *document.Value
	lastPort buffer.Port
	tooMany  bool // the file has more ports than a switch can have: the others are not made
	id       json.RawMessage
	etsKey   string // the key of `ets` that the file has
	cables   map[string]*portCable
}

// newReader returns the reader of a file. The name is for messages, and for the files that it names.
func newReader(file string) *reader {
	return &reader{Reader: document.New(file), cables: map[string]*portCable{}}
}

// invalid returns all complaints as a buffer.ErrInvalid, or nil.
func (r *reader) invalid() error {
	if err := r.Err(); err != nil {
		return fmt.Errorf("%w:\n%w", buffer.ErrInvalid, err)
	}
	return nil
}

// Open reads a file that a topology names: a chip file or a headroom table. os.ReadFile is one. A caller passes another
// to read from elsewhere, or to keep a topology from naming files that are not its author's.
type Open func(path string) ([]byte, error)

// Parse reads a topology. The file name is used in messages, and the paths of files that the topology names are
// relative to it. The error wraps buffer.ErrInvalid and lists every complaint.
//
// Changes are made before anything is read, as if the file had these values: see [ParseOverride].
func Parse(file string, data []byte, open Open, changes ...Override) (buffer.Intent, error) {
	f, err := Read(file, data, open, changes...)
	return f.Intent, err
}

// intent reads the mapping of a whole topology. What it reads is not yet compared with the chip: see validate.
func (r *reader) intent(root *document.Value, open Open) buffer.Intent {
	f := root.Fields("chip", "headroom", "pool", "egress_pools", "trimming", "shared_floor", "classes", "dscp", "trust", "ets",
		"peers", "ports", "id")
	// Nothing else is needed. These four have no usual value: the memory, the method, the traffic and the cables
	// decide every number of a plan.
	root.Need(f, "chip", "headroom", "classes", "ports")
	r.id = identity(f["id"])
	// The share is one of each slice. 0%, as without the key, is no floor: the plan may leave no shared memory.
	in := buffer.Intent{SharedFloor: document.Quantity(f["shared_floor"], unit.ParsePercent)}
	// The order is that of what depends on what, whatever order the file has: a method may need the chip's name, and
	// a port names classes and kinds of neighbours.
	if v := f["chip"]; v != nil {
		before := r.Total()
		in.Chip = r.chip(v, open)
		if !v.IsMapping() && r.Total() == before {
			r.pooled(&in.Chip, v, 0, 0)
		}
	}
	if f["headroom"] != nil {
		in.Sizing = r.sizing(f["headroom"], in.Chip.Name, open)
	}
	in.Pool = r.pool(f["pool"])
	// Pools of the egress describe what the switch has. No plan sizes them, and no push writes them.
	in.EgressPools = grouped.Each(f["egress_pools"].Items(), egressPool)
	in.Trimming = r.trimming(f["trimming"])
	in.Classes = grouped.Each(f["classes"].Items(), r.class)
	in.DSCP, in.Trust = r.dscp(f["dscp"]), document.Quantity(f["trust"], pg.ParseTrust)
	in.ETS = r.ets(f["ets"])
	kinds := r.peers(f["peers"])
	// The order of the ports is kept: they are admitted in it, so the first one that finds no cells is refused.
	entries := f["ports"].Items()
	// A switch with ranges of ports has few entries, and often 64 ports.
	r.entries, in.Ports = make([]Entry, 0, len(entries)), make([]buffer.Port, 0, max(len(entries), usualPorts))
	for _, v := range entries {
		r.ports(v, &in, kinds)
	}
	r.cablesOf(f["ports"])
	return in
}

// chip loads a chip by name, with what a mapping gives of its memory, or from a file. A name with a dot or a slash is a
// path: no chip in the catalogue has either. A complaint about the name itself is that of the catalogue, with the
// nearest names.
func (r *reader) chip(v *document.Value, open Open) buffer.Chip {
	if v.IsMapping() {
		return r.chipWith(v)
	}
	name := v.Text()
	if !strings.ContainsAny(name, "./") {
		if c := named(v); c != nil {
			return *c
		}
		return buffer.Chip{}
	}
	// A chip file has complaints of its own, with its own name and lines. Its parser runs apart from this reader.
	path := document.Beside(r.File, name)
	data, err := open(path)
	if err != nil {
		v.Refuse(fmt.Sprintf("the path of a chip file that can be read (%v)", err))
		return buffer.Chip{}
	}
	c, err := ParseChip(path, data)
	if err != nil {
		r.Join(err)
		r.Refused = append(r.Refused, v.Path()) // the zeros of a chip that was not read are no complaints of their own
	}
	return c
}

// tableMethod is the method whose parameter is a headroom table.
var tableMethod = (&table.Table{}).Method()

// pool reads the ingress pool.
func (r *reader) pool(v *document.Value) buffer.Pool {
	// Sizes are bytes of the whole chip, which the slices divide. Vendors differ in whether the size of a pool
	// includes the headroom and the reserved cells: the last two keys say it. A ratio is 0 to 1000, and 0 is no pool,
	// as without the key.
	f := v.Fields("size", "shared_headroom", "shared_headroom_ratio", "size_includes_headroom", "size_includes_reserved")
	return buffer.Pool{
		Size:                 positive(f["size"], "leave it out for the chip's whole memory"),
		SharedHeadroom:       document.Quantity(f["shared_headroom"], unit.ParseBytes),
		SharedHeadroomRatio:  int(f["shared_headroom_ratio"].Integer(0, buffer.MaxRatio)),
		SizeIncludesHeadroom: f["size_includes_headroom"].Boolean(),
		SizeIncludesReserved: f["size_includes_reserved"].Boolean(),
	}
}

// class reads a class. Whether the chip has its alpha, its group and its limits is for the intent.
func (r *reader) class(v *document.Value) buffer.Class {
	f := v.Fields("name", "priorities", "lossless", "channels", "group", "reserved", "alpha", "dynamic_th", "static_limit",
		"mtu", "xon_offset", "queue_reserved", "egress_pool", "queue_alpha", "queue_dynamic_th", "queue_limit",
		"trim", "weight", "strict", "ets_group", "ecn")
	v.Need(f, "name", "priorities")
	// Zero has two meanings here. reserved and xon_offset keep an explicit 0B, which differs from the default of the
	// method. mtu and static_limit have no use for a zero, and refuse it: it would pass for a missing key.
	c := buffer.Class{
		Name:          f["name"].Label(),
		Reserved:      document.Optional(f["reserved"], unit.ParseBytes),
		MTU:           positive(f["mtu"], "leave it out for the port's MTU"),
		XONOffset:     document.Optional(f["xon_offset"], unit.ParseBytes),
		StaticLimit:   positive(f["static_limit"], "leave it out for an alpha"),
		QueueReserved: document.Quantity(f["queue_reserved"], unit.ParseBytes),
		Alpha:         alpha(f["alpha"], f["dynamic_th"]),
		Strict:        f["strict"].Boolean(),
		Trim:          f["trim"].Boolean(),
		Egress:        egress(f),
	}
	// A class with pauses may have channels all the same: a port with lossless: cbfc uses them.
	c.Lossless, c.Credits = lossless(f["lossless"])
	c.Channels = channels(f["channels"])
	for _, p := range f["priorities"].Items() {
		before := p.Complaints()
		if n := p.Integer(0, 7); p.Complaints() == before { // a priority that was refused is not priority 0
			c.Priorities = append(c.Priorities, int(n))
		}
	}
	// A port has eight groups, 0 to 7. The presence counts and not the number, because 0 is a group.
	if f["group"] != nil {
		c.Group = unit.Given(int(f["group"].Integer(0, pg.PerPort-1)))
	}
	// 1 to 100, as SAI_SCHEDULER_ATTR_SCHEDULING_WEIGHT. 0 stays for a class without a weight.
	c.Weight = int(f["weight"].Integer(1, buffer.MaxWeight))
	// 0 to 7, or 15 for the strict group of CEE. The intent compares the number with the groups of `ets`.
	if f["ets_group"] != nil {
		c.ETS = unit.Given(int(f["ets_group"].Integer(0, dcbx.StrictGroup)))
	}
	c.ECN = r.ecn(f["ecn"])
	return c
}

// egressPool reads one pool of the egress.
func egressPool(v *document.Value) buffer.EgressPool {
	f := v.Fields("name", "size")
	v.Need(f, "name")
	return buffer.EgressPool{Name: f["name"].Label(), Size: positive(f["size"], "leave it out where the switch "+
		"computes it")}
}

// egress reads what the egress queues of a class may hold.
func egress(f map[string]*document.Value) buffer.Egress {
	// The factor is one of the free cells of the egress pool; the limit is bytes of the whole chip. Which of them a
	// queue may have, and that it needs a pool, is for the intent.
	e := buffer.Egress{Pool: f["egress_pool"].Text(), Alpha: alpha(f["queue_alpha"], f["queue_dynamic_th"]),
		Limit: document.Quantity(f["queue_limit"], unit.ParseBytes)}
	if limit := f["queue_limit"]; limit != nil && e.Limit == 0 {
		limit.Refuse("at least a cell in each slice; without the key a queue has no limit of its own")
	}
	return e
}

// trimming reads how the switch trims what queues with trim refuse. Size is bytes of what is left of a packet, queue
// 0 to 7 is where that waits, and dscp 0 to 63 is what it is marked with.
func (r *reader) trimming(v *document.Value) buffer.Trimming {
	// All three are stated: SAI's own values of size and queue, 128 and 0, are seldom what a fabric wants, and a rest
	// that keeps its DSCP would wait with the packets that filled the queue.
	f := v.Fields("size", "queue", "dscp")
	v.Need(f, "size", "queue", "dscp")
	return buffer.Trimming{Size: positive(f["size"], "leave trimming out"),
		Queue: int(f["queue"].Integer(0, pg.PerPort-1)), DSCP: int(f["dscp"].Integer(0, 63))}
}

// dscp reads the DSCPs of each priority, whose numbers are the keys.
func (r *reader) dscp(v *document.Value) (m pg.DSCPMap) {
	// Other keys are refused as unknown, with the accepted ones: a number beyond 7 needs no text of its own.
	for p, points := range v.Numbered(pg.PerPort) {
		// An item is a code point of 0 to 63 or a span of them, "48-55". One that stands twice with a priority is no
		// conflict; one of two priorities is, and the intent refuses it.
		for _, x := range points.Items() {
			m[p] |= document.Quantity(x, pg.ParseCodePoints)
		}
	}
	return m
}

// alpha reads the factor, or its exponent n of 2^n as SAI and SONiC write it; nil if neither is given. With both, one
// could be edited and the other overlooked, so both are refused.
func alpha(factor, exponent *document.Value) *thresholds.Alpha {
	switch {
	case factor != nil && exponent != nil:
		exponent.Refuse("alpha or dynamic_th, not both")
	case factor != nil:
		return new(document.Quantity(factor, thresholds.ParseAlpha))
	case exponent != nil:
		return new(thresholds.Alpha(exponent.Integer(int64(thresholds.MinAlpha), int64(thresholds.MaxAlpha))))
	}
	return nil
}

// ecn reads the marking of the queues of a class (WRED). That kmin is below kmax is for the intent.
func (r *reader) ecn(v *document.Value) ecn.Thresholds {
	// kmin and kmax are bytes of one egress queue, pmax is the probability of a mark at kmax. A profile is stated as
	// a whole; without the key nothing is marked.
	f := v.Fields("kmin", "kmax", "pmax")
	v.Need(f, "kmin", "kmax", "pmax")
	return ecn.Thresholds{
		KMin: document.Quantity(f["kmin"], unit.ParseBytes),
		KMax: document.Quantity(f["kmax"], unit.ParseBytes),
		PMax: document.Quantity(f["pmax"], unit.ParsePercent),
	}
}
