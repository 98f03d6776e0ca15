package audit

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/finding"
)

// queues checks, of a switch that serves queues by policies, early detection and ECN. Ports with the same fault are one
// finding.
func (c *check) queues() {
	f := &folds{}
	for _, p := range c.sw.Ports {
		var other *Service
		var queue int
		var without []string // queues of classes without drops that are not marked
		marked := false
		for n, s := range p.Service {
			if s == nil {
				continue
			}
			c.detection(f, p, n, s)
			switch {
			case s.NoDrop && s.Marks:
				marked = true
			case s.NoDrop:
				without = append(without, fmt.Sprint(n))
			case s.Marks && other == nil:
				other, queue = s, n
			}
		}
		if other != nil && !marked && len(without) > 0 {
			f.note("ecn-other-queue", other.DetectAt, p, fmt.Sprintf("queue %d", queue), "ECN marks queue %d, whose class "+
				"drops, and no queue of a class without drops (%s)", queue, strings.Join(without,
				", ")).suspect = "the lossless traffic may need no ECN, as FCoE does"
		}
	}
	f.report(c.collector)
}

// detection checks the early detection of a queue.
func (c *check) detection(f *folds, p *Port, queue int, s *Service) {
	object := fmt.Sprintf("queue %d", queue)
	if s.NoDrop && s.Drops && !s.Marks {
		f.note("wred-no-drop", s.DetectAt, p, object,
			"queue %d is of a class without drops, and random detection without ECN drops its packets", queue)
	}
	if s.Max.Given && c.overMemory(s.Max.Bytes()) {
		out := f.note("wred-max-over-pool", s.DetectAt, p, object, "the upper threshold %d is larger than the memory of %s",
			s.Max.Value, c.memory())
		out.severity = finding.Warning
	}
}
