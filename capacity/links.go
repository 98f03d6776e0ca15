package capacity

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// cable answers how long the cable of one entry's ports can be.
func (k *asker) cable(e Entry) Answer {
	a := k.longest(Cable, func(i int) bool { return i >= e.First && i < e.First+e.Count })
	a.Ports = e.Text
	return a
}

// cableAll answers how long the cables can be if all ports have the same.
func (k *asker) cableAll() Answer { return k.longest(CableAll, func(int) bool { return true }) }

// longest answers how long the cable of some ports can be: in whole metres, or among the lengths of a vendor's table. A
// port with a measured delay keeps it, because the delay replaces a cable.
func (k *asker) longest(q Question, of func(i int) bool) Answer {
	var ports []int
	for i := range k.in.Ports {
		if of(i) && !k.in.Ports[i].Delay.IsGiven() {
			ports = append(ports, i)
		}
	}
	if len(ports) == 0 {
		return notAsked(q, "a measured delay replaces the cable")
	}
	with := func(in buffer.Intent, l unit.Length) buffer.Intent {
		in.Ports = slices.Clone(in.Ports)
		for _, i := range ports {
			in.Ports[i].Cable = l
		}
		return in
	}
	if sizes, ok := k.in.Sizing.(thresholds.Discrete); ok {
		cables := sizes.Cables()
		s := &search{0, int64(len(cables)) - 1, func(in buffer.Intent, n int64) buffer.Intent {
			if n >= int64(len(cables)) {
				n = int64(len(cables)) - 1
			}
			return with(in, cables[n])
		}, true, Constraint{sizingMethod, "the headroom table has no longer cable"}}
		if len(cables) == 0 {
			return notAsked(q, "the headroom table has no cable")
		}
		return s.answer(Answer{Question: q}, k.in, func(n int64) int64 { return int64(cables[n]) })
	}
	s := &search{0, int64(thresholds.MaxCable / unit.Metre), func(in buffer.Intent, n int64) buffer.Intent {
		return with(in, unit.Length(n)*unit.Metre)
	}, false, Constraint{acceptedRange, fmt.Sprintf("no cable is longer than %v", thresholds.MaxCable)}}
	return s.answer(Answer{Question: q}, k.in, func(n int64) int64 { return n * int64(unit.Metre) })
}

// ports answers how many ports like those of an entry fit, beside all others. Every port keeps the pipe that it has
// now. Of the entry's own, those are taken first that fit when all others are served before them; ports that are added
// behind all others take the pipes in turn, or the entry's own.
func (k *asker) ports(e Entry) Answer {
	others := len(k.in.Ports) - e.Count
	all := k.entryLast(e)
	s := &search{1, int64(buffer.MaxPorts - others), func(in buffer.Intent, n int64) buffer.Intent {
		for more := len(all); more < others+int(n); more++ {
			all = append(all, k.oneMore(e, more))
		}
		in.Ports = slices.Clip(all[:others+int(n)])
		return in
	}, false, Constraint{acceptedRange, fmt.Sprintf("no switch has more than %d ports", buffer.MaxPorts)}}
	a := s.answer(Answer{Question: Ports}, k.in, same)
	a.Ports = e.Text
	return a
}

// entryLast returns the ports of the intent, each with the pipe that it has now: those of other entries, then those of
// the entry that fit beside them, then the rest.
func (k *asker) entryLast(e Entry) []buffer.Port {
	all := k.withPipes()
	own := slices.Clone(all[e.First : e.First+e.Count])
	others := slices.Delete(all, e.First, e.First+e.Count)
	trial := k.in
	trial.Ports = slices.Concat(others, own)
	a, err := buffer.NewAdmission(trial)
	if err != nil {
		return trial.Ports
	}
	refused := map[int]bool{}
	for _, d := range a.Denied() {
		refused[d.Index-len(others)] = true
	}
	out := slices.Clone(others)
	for _, late := range []bool{false, true} {
		for i := range own {
			if refused[i] == late {
				out = append(out, own[i])
			}
		}
	}
	return out
}

// withPipes returns the ports of the intent, each with the pipe that it has now.
func (k *asker) withPipes() []buffer.Port {
	out := slices.Clone(k.in.Ports)
	if k.in.Chip.PipeCount() > 1 {
		for i := range out {
			out[i].Pipe = new(k.in.PipeOf(i))
		}
	}
	return out
}

// oneMore returns a port like those of an entry, for the i-th place of the intent.
func (k *asker) oneMore(e Entry, i int) buffer.Port {
	p := k.in.Ports[e.First]
	p.Name = fmt.Sprintf("%s.more%d", p.Name, i)
	if pipes := k.in.Chip.PipeCount(); p.Pipe == nil && pipes > 1 {
		p.Pipe = new(i % pipes)
	}
	return p
}

// mtu answers how long the frames of all ports can be. A class with a longest frame of its own keeps it.
func (k *asker) mtu() Answer {
	s := &search{
		int64(thresholds.MinFrame),
		int64(thresholds.MaxFrameSize),
		func(in buffer.Intent, n int64) buffer.Intent {
			in.Ports, in.Classes = slices.Clone(in.Ports), slices.Clone(in.Classes)
			for i := range in.Ports {
				in.Ports[i].MTU = unit.Bytes(n)
			}
			for i := range in.Classes {
				in.Classes[i].MTU = min(in.Classes[i].MTU, unit.Bytes(n))
			}
			return in
		},
		false,
		Constraint{acceptedRange, fmt.Sprintf("no frame is longer than %v", thresholds.MaxFrameSize)},
	}
	return s.answer(Answer{Question: MTU}, k.in, same)
}

// same is the amount of a search whose values are the amounts.
func same(n int64) int64 { return n }
