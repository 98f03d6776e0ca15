package capacity

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// cable answers how long the cable of one entry's ports can be.
func (k *asker) cable(e Entry) Answer {
	a := k.longest(Cable, e)
	a.Ports = e.Text
	return a
}

// cableAll answers how long the cables can be if all ports have the same.
func (k *asker) cableAll() Answer { return k.longest(CableAll, Entry{Count: len(k.in.Ports)}) }

// longest answers how long the cable of an entry's ports can be: in whole metres, or among the lengths of a vendor's
// table. A port with a measured delay keeps it, because the delay replaces a cable.
func (k *asker) longest(q Question, e Entry) Answer {
	var ports []int
	for i := e.First; i < e.First+e.Count; i++ {
		if !k.in.Ports[i].Delay.IsGiven() {
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
	at := func(n int64) unit.Length { return unit.Length(n) * unit.Metre }
	high, end := int64(thresholds.MaxCable/unit.Metre),
		Constraint{acceptedRange, fmt.Sprintf("no cable is longer than %v", thresholds.MaxCable)}
	sizes, discrete := k.in.Sizing.(thresholds.Discrete)
	if discrete {
		cables := sizes.Cables()
		if len(cables) == 0 {
			return notAsked(q, "the headroom table has no cable")
		}
		high, end = int64(len(cables))-1, Constraint{sizingMethod, "the headroom table has no longer cable"}
		at = func(n int64) unit.Length { return cables[min(n, high)] }
	}
	s := &search{0, high, func(in buffer.Intent, n int64) buffer.Intent { return with(in, at(n)) }, discrete, end,
		k.quickCable(q, e, ports, at)}
	return s.answer(k, Answer{Question: q}, func(n int64) int64 { return int64(at(n)) })
}

// quickCable asks for some ports with a cable; nil if they are not alike.
func (k *asker) quickCable(q Question, e Entry, ports []int, cable func(int64) unit.Length) *quick {
	p := k.in.Ports[ports[0]]
	for _, i := range ports {
		if !alike(&k.in.Ports[i], &p) {
			return nil
		}
	}
	like, pipe := make([]int, len(k.in.Ports)), make([]int, len(k.in.Ports))
	for i := range like {
		like[i], pipe[i] = i, k.in.PipeOf(i)
	}
	for _, i := range ports {
		like[i] = -1
	}
	only := -1
	if len(ports) == 1 {
		only = ports[0]
	}
	return &quick{k.group(q, e), func(n int64) (_, _ []int, _ *buffer.Port) {
		p.Cable = cable(n)
		return like, pipe, &p
	}, only, func(i int) string { return k.in.Ports[i].Name }}
}

// alike tells whether two ports differ in nothing but their names and pipes.
func alike(a, b *buffer.Port) bool {
	x, y := *a, *b
	x.Name, x.Pipe, y.Name, y.Pipe = "", nil, "", nil
	return x == y
}

// ports answers how many ports like those of an entry fit, beside all others. Every port keeps the pipe that it has
// now. Of the entry's own, those are taken first that fit when all others are served before them; ports that are added
// behind all others take the pipes in turn, or the entry's own.
func (k *asker) ports(e Entry) Answer {
	others := len(k.in.Ports) - e.Count
	order := k.entryLast(e)
	s := &search{1, int64(buffer.MaxPorts - others), func(in buffer.Intent, n int64) buffer.Intent {
		all, placed := make([]buffer.Port, 0, others+int(n)), k.withPipes()
		for _, i := range order[:min(len(order), others+int(n))] {
			all = append(all, placed[i])
		}
		for more := len(all); more < others+int(n); more++ {
			all = append(all, k.oneMore(e, more))
		}
		in.Ports = all
		return in
	}, false, Constraint{acceptedRange, fmt.Sprintf("no switch has more than %d ports", buffer.MaxPorts)},
		k.quickPorts(e, order)}
	a := s.answer(k, Answer{Question: Ports}, same)
	a.Ports = e.Text
	return a
}

// quickPorts asks for more ports like those of an entry, behind the ports in an order; nil if the names of those that
// are added could be refused.
func (k *asker) quickPorts(e Entry, order []int) *quick {
	if !buffer.ValidPortName(fmt.Sprintf("%s.more%d", k.in.Ports[e.First].Name, buffer.MaxPorts)) {
		return nil
	}
	for i := range k.in.Ports {
		if strings.Contains(k.in.Ports[i].Name, ".more") {
			return nil
		}
	}
	k.like, k.pipe = append(k.like[:0], order...), k.pipe[:0]
	for _, i := range order {
		k.pipe = append(k.pipe, k.in.PipeOf(i))
	}
	return &quick{k.group(Ports, e), func(n int64) (_, _ []int, _ *buffer.Port) {
		all := len(order) - e.Count + int(n)
		for i := len(k.like); i < all; i++ {
			pipe := i % k.in.Chip.PipeCount()
			if p := k.in.Ports[e.First].Pipe; p != nil {
				pipe = *p
			}
			k.like, k.pipe = append(k.like, e.First), append(k.pipe, pipe)
		}
		return k.like[:all], k.pipe[:all], nil
	}, -1, func(i int) string {
		if i >= len(order) {
			return k.oneMore(e, i).Name
		}
		return k.in.Ports[order[i]].Name
	}}
}

// entryLast returns the order of the ports in which those of other entries come first, then those of the entry that fit
// beside them, then the rest.
func (k *asker) entryLast(e Entry) []int {
	order := make([]int, 0, len(k.in.Ports))
	for i := range k.in.Ports {
		if i < e.First || i >= e.First+e.Count {
			order = append(order, i)
		}
	}
	others := len(order)
	for i := range e.Count {
		order = append(order, e.First+i)
	}
	if e.Count == 1 {
		return order
	}
	trial, all := k.in, k.withPipes()
	trial.Ports = make([]buffer.Port, 0, len(all))
	for _, i := range order {
		trial.Ports = append(trial.Ports, all[i])
	}
	a, err := buffer.NewAdmission(trial)
	if err != nil {
		return order
	}
	refused := map[int]bool{}
	for _, d := range a.Denied() {
		refused[d.Index] = true
	}
	out := slices.Clone(order[:others])
	for _, late := range []bool{false, true} {
		for at := others; at < len(order); at++ {
			if refused[at] == late {
				out = append(out, order[at])
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
	p.Name += ".more" + strconv.Itoa(i) // fmt would take a tenth of a search's time
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
		nil,
	}
	return s.answer(k, Answer{Question: MTU}, same)
}

// same is the amount of a search whose values are the amounts.
func same(n int64) int64 { return n }
