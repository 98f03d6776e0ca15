package audit

import "github.com/cellwarden/cellwarden/finding"

// Kinds of maps, by the fields of SONiC's PORT_QOS_MAP that name them.
const (
	DSCPToClass     = "dscp_to_tc_map"
	ClassToGroup    = "tc_to_pg_map"
	ClassToQueue    = "tc_to_queue_map"
	PriorityToQueue = "pfc_to_queue_map"
	PriorityToGroup = "pfc_to_pg_map"
)

// CodeMap is a map of a port: code points to traffic classes, traffic classes or priorities to groups or to queues.
type CodeMap struct {
	Name   string
	Object string // that names it in findings
	At     finding.Place
	To     map[int]int
	Lines  map[int]finding.Place // of the entries of To
}

// Put maps a number to another one, in a line of the map's file.
func (m *CodeMap) Put(from, to, line int) {
	m.To[from], m.Lines[from] = to, finding.Place{File: m.At.File, Line: line}
}

// CodesOf returns the map of a kind that a port has; false: it has none.
func (s *Switch) CodesOf(p *Port, kind string) (CodeMap, bool) {
	if m := s.codes(p, kind); m != nil {
		return *m, true
	}
	return CodeMap{}, false
}

// codes returns the map of a kind that a port has; nil: it has none.
func (s *Switch) codes(p *Port, kind string) *CodeMap { return s.maps[kind][p.Maps[kind]] }

// Marking is a marking profile, an entry of WRED_PROFILE.
type Marking struct {
	Name    string
	Object  string // that names it in findings
	At      finding.Place
	ECN     string // which colours are marked: ecn_all, ecn_green
	Colours [3]Colour
	Used    bool // by a queue
}

// Colour is the marking of one colour of packets: green, yellow, red.
type Colour struct {
	Min, Max Number
	Drop     Number // the highest probability in percent
	Enable   string // "true": packets that are not ECN-capable are dropped in place of a mark
}

// Colours are the names of the colours of a marking profile, in their order.
func Colours() [3]string { return [...]string{"green", "yellow", "red"} }

// Scheduler is an entry of SCHEDULER.
type Scheduler struct {
	Name   string
	Object string // that names it in findings
	Type   string // STRICT, DWRR, WRR
	Weight Number
	Shaped bool // it has a rate
	At     finding.Place
}

// QueueOf returns the scheduler and the marking profile of a queue of a port; nil: it has none.
func (s *Switch) QueueOf(p *Port, queue int) (*Scheduler, *Marking) {
	q := p.Scheduled[queue]
	if q == nil {
		return nil, nil
	}
	var by *Scheduler
	for _, e := range s.Schedulers {
		if e.Name == q.Scheduler && q.Scheduler != "" {
			by = e
		}
	}
	for _, m := range s.Marking {
		if m.Name == q.Marking && q.Marking != "" {
			return by, m
		}
	}
	return by, nil
}
