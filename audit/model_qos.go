package audit

import "github.com/cellwarden/cellwarden/internal/configdb"

// CodeMap is a map of a port: code points to traffic classes, traffic classes to groups or to queues.
type CodeMap struct {
	Name string
	At   configdb.Place
	To   map[int]int // not to be changed
}

// CodesOf returns the map that a field of PORT_QOS_MAP gives a port, such as tc_to_pg_map; false: it has none.
func (s *Switch) CodesOf(p *Port, field string) (CodeMap, bool) {
	for _, f := range mapFields {
		if f.field != field {
			continue
		}
		if m := s.maps[f.table][p.Maps[field]]; m != nil {
			return CodeMap{m.object, m.at, m.to}, true
		}
	}
	return CodeMap{}, false
}

// Marking is a marking profile, an entry of WRED_PROFILE.
type Marking struct {
	Name    string
	At      configdb.Place
	ECN     string // which colours are marked: ecn_all, ecn_green
	Colours [3]Colour
}

// Colour is the marking of one colour of packets: green, yellow, red.
type Colour struct {
	Min, Max Number
	Drop     Number // the highest probability in percent
	Enable   string // "true": packets that are not ECN-capable are dropped in place of a mark
}

// Scheduler is an entry of SCHEDULER.
type Scheduler struct {
	Name, Type string // STRICT, DWRR, WRR
	Weight     Number
	Shaped     bool // it has a rate
	At         configdb.Place
}

// QueueOf returns the scheduler and the marking profile of a queue of a port; nil: it has none.
func (s *Switch) QueueOf(p *Port, queue int) (*Scheduler, *Marking) {
	q := p.Scheduled[queue]
	if q == nil {
		return nil, nil
	}
	var by *Scheduler
	for _, e := range s.schedulers {
		if e.name == q.scheduler && q.scheduler != "" {
			by = &Scheduler{"SCHEDULER|" + e.name, e.kind, e.weight, e.shaped, e.at}
		}
	}
	for _, w := range s.wred {
		if w.name != q.wred || q.wred == "" {
			continue
		}
		m := &Marking{Name: "WRED_PROFILE|" + w.name, At: w.at, ECN: w.ecn}
		for i, c := range colours {
			m.Colours[i] = Colour{w.min[c], w.max[c], w.drop[c], w.enable[c]}
		}
		return by, m
	}
	return by, nil
}
