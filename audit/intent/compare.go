package intent

import (
	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// compare compares what the plan grants with what was read, group by group. A plan counts in cells: a number of bytes
// is granted if the cells are the fewest that hold it.
func (b *builder) compare() {
	planned := map[string]*nos.Port{}
	all := nos.Plan{Intent: b.Intent, Layout: b.Plan.Layout()}.Ports()
	for i := range all {
		planned[all[i].Name] = &all[i]
	}
	for _, r := range b.Plan.Refusals {
		b.note("%s is not admitted by the plan: %s", r.Subject(), r.Detail)
	}
	for _, p := range b.kept {
		q := planned[p.Name]
		if q == nil || p.Down && b.Intent.Chip.Reclaims != buffer.ReclaimsNothing {
			continue // refused, which the plan says, or without cells while it is down
		}
		for n := range priorities {
			if r := b.roles[p][n]; r.kind == lossless && b.main[n].kind == lossless {
				b.compareLossless(p, n, q.Groups[n])
			} else if r.kind == lossy && b.main[n].kind == lossy && r.group == n {
				profile := p.Groups[n].Profile
				b.same(p, n, profile, "minimum", q.Groups[n].Reserved, profile.Size.Bytes(), b.Intent.Chip.ReservedGranted)
				b.sameLimit(p, n, profile, q.Groups[n])
			}
		}
	}
}

// compareLossless compares a lossless group.
func (b *builder) compareLossless(p *audit.Port, n int, g nos.Group) {
	profile := p.Groups[n].Profile
	if profile == nil {
		return // what the buffer manager computes is the formula of the plan
	}
	chip := &b.Intent.Chip
	if !g.Lossless {
		b.differs(p, p.Groups[n].Object, profile.At, "group %d is not lossless in the plan", n)
		return
	}
	reserved := profile.Size.Bytes()
	if !b.Intent.Pool.SharesHeadroom() {
		if reserved -= profile.XOFF.Bytes(); reserved < 0 {
			b.differs(p, profile.Name, profile.At, "its size is smaller than its xoff, and no headroom is shared: a plan has "+
				"the size as the minimum beside the headroom")
			reserved = profile.Size.Bytes()
		}
	}
	b.same(p, n, profile, "headroom", g.Headroom, profile.XOFF.Bytes(), chip.HeadroomGranted)
	b.same(p, n, profile, "minimum", g.Reserved, reserved, chip.ReservedGranted)
	if profile.XONOffset.Given {
		b.same(p, n, profile, "xon offset", g.XONOffset, profile.XONOffset.Bytes(), chip.ResumeOffsetGranted)
	}
	b.sameLimit(p, n, profile, g)
}

// same says so if the plan grants another number of bytes than was read: another than the chip holds for it.
func (b *builder) same(p *audit.Port, n int, profile *audit.Profile, what string, granted, read unit.Bytes,
	held func(unit.Bytes) unit.Bytes) {
	if granted != held(read) {
		b.differs(p, profile.Name, profile.At, "the %s of group %d is %d: the plan grants %d", what, n, int64(read),
			int64(granted))
	}
}

// sameLimit says so if the plan has another limit than was read.
func (b *builder) sameLimit(p *audit.Port, n int, profile *audit.Profile, g nos.Group) {
	th := thresholdOf(profile)
	if b.unlimited(th) {
		return // the topology has the size of the pool, with the same effect
	}
	if !th.static {
		if g.Limit != thresholds.Dynamic(thresholds.Alpha(th.value)) {
			b.differs(p, profile.Name, profile.At, "group %d has %v: the plan has %v", n, th, g.Limit)
		}
		return
	}
	stated := b.static("BUFFER_PROFILE|"+profile.Name, th.value)
	chip := &b.Intent.Chip
	slices := unit.Bytes(len(chip.Slices))
	if most := chip.Cell.Bytes(1) * slices; g.Static > stated || stated-g.Static >= most {
		b.differs(p, profile.Name, profile.At, "group %d has %v: the plan has %d", n, th, int64(g.Static))
	}
}
