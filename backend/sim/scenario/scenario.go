package scenario

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// Scenario is a network with what it is to show.
type Scenario struct {
	Name    string
	Lesson  string // prose: what a reader is to learn
	Network fabric.Network
	Until   unit.Time // end of the run
	Sample  unit.Time // how far apart the points of a plot are
	Settle  unit.Time // from when on rates and depths are measured; 0: from the start
	Classes []Class
	Expect  []Expectation
	Watch   []Queue // queues whose depth is measured
	// Diagnose has the counters of the switches looked at for what is wrong.
	Diagnose    bool
	planned     []plannedSwitch
	firstPauses bool // an expectation asks for the first pause of a port
}

// Queue is an egress queue of a switch's port.
type Queue struct{ Node, Port, Queue int }

// samples is how many points a plot has if the file does not say.
const samples = 1000

// Read reads a scenario, YAML or JSON. The file name is used in messages, and
// the topology files that the scenario names are looked up beside it. The error
// wraps buffer.ErrInvalid and lists every complaint.
func Read(file string, data []byte, open topology.Open) (*Scenario, error) {
	r := newReader(file)
	r.open = open
	if root := r.Parse(data); root != nil {
		r.scenario(root)
		if len(r.Bad) == 0 {
			r.validate()
		}
	}
	if len(r.Bad) > 0 {
		return nil, fmt.Errorf("%w:\n%w", buffer.ErrInvalid, errors.Join(r.Bad...))
	}
	return r.s, nil
}

// reader reads one file.
type reader struct {
	*document.Reader
	s         *Scenario
	classes   map[string]int     // by name
	hosts     map[string]int     // by name
	switches  map[string]int     // by name
	ports     []map[string]int   // of each switch by name: that of the neighbour
	links     map[fabric.End]int // that a port belongs to
	specs     []switchSpec       // of each switch
	entries   map[string][]int   // flows of each entry by its name
	origins   map[string]origin  // of what Validate speaks of: links[3], flows[7]
	responses map[int]delay      // response times that the file gives, by host
	tagged    bool
	open      topology.Open
}

// origin is where something in the file came from.
type origin struct {
	line int
	path string
}

func newReader(file string) *reader {
	return &reader{Reader: document.New(file), s: &Scenario{}, classes: map[string]int{}, hosts: map[string]int{},
		switches: map[string]int{},
		links:    map[fabric.End]int{}, entries: map[string][]int{}, origins: map[string]origin{},
		responses: map[int]delay{}, tagged: true}
}

func (r *reader) scenario(root *document.Value) {
	f := root.Fields("name", "lesson", "seed", "until", "settle", "sample", "wire", "tagged", "classes", "topology",
		"host", "hosts", "switch", "switches", "ports", "flows", "failures", "deadlock_every", "diagnose", "expect")
	root.Need(f, "name", "until", "topology", "flows")
	s := r.s
	s.Name, s.Lesson = f["name"].Text(), strings.TrimSpace(f["lesson"].Text())
	s.Network.Seed = uint64(f["seed"].Integer(0, 1<<62))
	s.Until = r.positive(f["until"])
	s.Sample = max(s.Until/samples, 1)
	if f["sample"] != nil {
		s.Sample = max(r.positive(f["sample"]), s.Until/(100*samples))
	}
	if s.Settle = document.Quantity(f["settle"], unit.ParseTime); s.Settle >= s.Until && s.Settle > 0 && s.Until > 0 {
		f["settle"].Refuse("less than until")
	}
	if f["tagged"] != nil {
		r.tagged = f["tagged"].Boolean()
	}
	r.wire(f["wire"])
	for _, v := range f["classes"].Items() {
		r.class(v)
	}
	if f["topology"] != nil {
		r.topology(f["topology"])
	}
	r.hostKeys(f["host"], f["hosts"])
	r.switchKeys(root, f["switch"], f["switches"], f["ports"])
	for _, v := range f["flows"].Items() {
		r.flow(v)
	}
	for _, v := range f["failures"].Items() {
		r.failure(v)
	}
	s.Network.DeadlockEvery = document.Quantity(f["deadlock_every"], unit.ParseTime)
	s.Diagnose = f["diagnose"].Boolean()
	if f["expect"] != nil {
		r.expect(f["expect"])
	}
}

// positive reads a time that is not 0.
func (r *reader) positive(v *document.Value) unit.Time {
	if v == nil {
		return 0
	}
	before := v.Complaints()
	t := document.Quantity(v, unit.ParseTime)
	if t == 0 && v.Complaints() == before {
		v.Refuse("more than 0")
	}
	return t
}

func (r *reader) wire(v *document.Value) {
	if v == nil {
		return
	}
	f := v.Fields("gap", "pause")
	r.s.Network.Wire = fabric.Wire{Gap: document.Quantity(f["gap"], unit.ParseBytes),
		Pause: document.Quantity(f["pause"], unit.ParseBytes)}
}

// lookup reads the name of a host or switch; -1 after a complaint. Where there
// are none because the topology was refused, that has been said.
func lookup(v *document.Value, names map[string]int, accepted string) int {
	if v == nil {
		return -1
	}
	i, ok := names[v.Text()]
	if !ok && (len(names) > 0 || v.Complaints() == 0) {
		v.Refuse(accepted)
	}
	if !ok {
		return -1
	}
	return i
}

var pathOfPart = regexp.MustCompile(`^(links|flows|hosts|switches|failures)\[\d+\](\.ports\[\d+\])?`)

// validate asks the network itself, and puts its complaints where the file
// speaks of what is wrong.
func (r *reader) validate() {
	_, err := fabric.New(r.s.Network)
	if err == nil {
		return
	}
	for text := range strings.SplitSeq(err.Error(), "\n") {
		key := pathOfPart.FindString(text)
		p, ok := r.origins[key]
		for !ok && strings.Contains(key, ".") {
			key = key[:strings.LastIndex(key, ".")]
			p, ok = r.origins[key]
		}
		if !ok {
			p, key = origin{1, document.Whole}, ""
		}
		r.Fail(p.line, p.path, strings.TrimLeft(strings.TrimPrefix(text, key), ".: "))
	}
}
