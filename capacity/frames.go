package capacity

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// frame answers which frames may fill the headroom: the shortest size for which it fits, with every longer one that the
// lossless classes send. Shorter frames take more cells, but not throughout, because a cell holds one packet only. So
// every size is sized: a first search finds the size down to which the most that any longer size needs fits, and from
// there on each size is planned that needs more on some link.
func (k *asker) frame() Answer {
	if _, ok := method.WithFrames(k.in.Sizing, thresholds.WorstFrames()); !ok {
		return notAsked(Frame, "method "+k.in.Sizing.Method()+" does not reckon with frames of one size")
	}
	links, longest := k.links()
	if len(links) == 0 {
		return notAsked(Frame, "no class is lossless, so nothing needs headroom")
	}
	with := func(n int64) buffer.Intent {
		in := k.in
		in.Sizing, _ = method.WithFrames(k.in.Sizing, thresholds.Frames(unit.Bytes(n)))
		return in
	}
	low, high := int64(thresholds.MinFrame), int64(longest)
	needs := k.frameNeeds(links, high)
	covered := k.coveredDownTo(links, needs, with)
	best := covered
	refused := int64(0)
	for n := best - 1; n >= low; n-- {
		if !needs.below(n, covered) && !fits(with(n)) {
			refused = n
			break
		}
		best = n
	}
	a := Answer{Question: Frame, State: Found, Amount: best}
	switch {
	case best > high:
		a.State, a.Amount, a.Beyond = NoneFits, 0, with(refused)
		a.Binding = binding(a.Beyond)
	case refused == 0:
		a.At = with(best)
		a.Binding = Constraint{acceptedRange, fmt.Sprintf("no frame is shorter than %v", thresholds.MinFrame)}
	default:
		a.At, a.Beyond = with(best), with(refused)
		a.Binding = binding(a.Beyond)
	}
	return a
}

// frameNeeds is the headroom that each size of frame needs.
type frameNeeds struct {
	longest int64
	width   int           // links
	needs   []cells.Count // of each size from the longest down, of each link; -1: it cannot be sized
	most    []cells.Count // the same: the most that this size and every longer one need
}

func (f *frameNeeds) at(list []cells.Count, n int64) []cells.Count {
	i := int(f.longest-n) * f.width
	return list[i : i+f.width]
}

// below tells whether a size needs no more on any link than a size that is known to fit with every longer one.
func (f *frameNeeds) below(n, known int64) bool {
	if known > f.longest {
		return false
	}
	for i, need := range f.at(f.needs, n) {
		if need < 0 || need > f.at(f.most, known)[i] {
			return false
		}
	}
	return true
}

// frameNeeds sizes every link with every size of frame.
func (k *asker) frameNeeds(links []thresholds.Link, longest int64) *frameNeeds {
	f := &frameNeeds{longest: longest, width: len(links)}
	size := (int(longest) - int(thresholds.MinFrame) + 1) * len(links)
	f.needs, f.most = make([]cells.Count, 0, size), make([]cells.Count, 0, size)
	for n := longest; n >= int64(thresholds.MinFrame); n-- {
		sizer, _ := method.WithFrames(k.in.Sizing, thresholds.Frames(unit.Bytes(n)))
		for _, l := range links {
			h, err := sizer.Size(l, k.in.Chip.Memory())
			if err != nil {
				h.Cells = -1
			}
			f.needs = append(f.needs, h.Cells)
			if m := len(f.most); m >= f.width {
				h.Cells = max(h.Cells, f.most[m-f.width])
			}
			f.most = append(f.most, h.Cells)
		}
	}
	return f
}

// coveredDownTo returns the shortest size for which the most that it and every longer size need fits at the same time;
// one more than the longest if not even that fits.
func (k *asker) coveredDownTo(links []thresholds.Link, f *frameNeeds, with func(int64) buffer.Intent) int64 {
	covered := func(n int64) bool {
		in := with(n)
		in.Sizing = atLeast{in.Sizing, links, f.at(f.most, n)}
		return fits(in)
	}
	low, high := int64(thresholds.MinFrame)-1, f.longest+1 // high is covered, low is not
	for high-low > 1 {
		if mid := low + (high-low)/2; covered(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// atLeast sizes as another method does, and gives each link at least a floor of cells.
type atLeast struct {
	thresholds.Sizer
	links []thresholds.Link
	cells []cells.Count
}

// Size returns the method's headroom, or the least if that is more.
func (s atLeast) Size(l thresholds.Link, m thresholds.Memory) (thresholds.Headroom, error) {
	h, err := s.Sizer.Size(l, m)
	for i := range s.links {
		if s.links[i] == l {
			h.Cells = max(h.Cells, s.cells[i])
		}
	}
	return h, err
}

// Explain returns the size without terms: nobody reads them here.
func (s atLeast) Explain(l thresholds.Link, m thresholds.Memory) (thresholds.Explanation, error) {
	h, err := s.Size(l, m)
	return thresholds.Explanation{Headroom: h}, err
}

// links lists the links that lossless groups have, each once, and the longest frame that all of the lossless classes
// can send.
func (k *asker) links() (out []thresholds.Link, longest unit.Bytes) {
	seen := map[thresholds.Link]bool{}
	longest = thresholds.MaxFrameSize
	for i := range k.in.Ports {
		p := &k.in.Ports[i]
		for c := range k.in.Classes {
			class := &k.in.Classes[c]
			if !class.Lossless || !p.Classes.Has(c) {
				continue
			}
			l := p.Link(p.MTU)
			if class.MTU > 0 {
				l = p.Link(class.MTU)
			}
			longest = min(longest, l.LosslessMTU)
			if !seen[l] {
				seen[l], out = true, append(out, l)
			}
		}
	}
	return out, longest
}
