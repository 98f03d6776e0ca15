package pfc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// What runs for every frame allocates nothing.
func TestHotPathAllocatesNothing(t *testing.T) {
	var buf [pfc.FrameBytes]byte
	xoff := pfc.Stop(port, pfc.Of(3, 4), 100)
	s := sender(t, pfc.SenderConfig{Source: port, Rate: 40 * unit.Gbps})
	r := receiver(t, pfc.Config{Rate: 40 * unit.Gbps, Enabled: pfc.All, Link: pfc.LinkBesidePFC})
	now := unit.Time(0)
	for name, run := range map[string]func(){
		"encode":      func() { xoff.AppendTo(buf[:0], pfc.WithFCS) },
		"encode link": func() { xoff.LinkPause().AppendTo(buf[:0], pfc.WithFCS) },
		"receive": func() {
			now += unit.Microsecond
			r.Receive(now, xoff)
			r.ReceiveLink(now, pfc.LinkPause{Quanta: 9})
			at, _ := r.NextExpiry()
			r.Paused(at, 3)
			r.Expire(at)
			r.Reset()
		},
		"send": func() {
			now += unit.Microsecond
			s.Set(now, s.Stopped()+1)
			at, _ := s.NextRefresh()
			s.Refresh(at)
		},
	} {
		require.Zero(t, testing.AllocsPerRun(100, run), name)
	}
}

func BenchmarkEncode(b *testing.B) {
	for name, fcs := range map[string]pfc.FCS{"fcs": pfc.WithFCS, "plain": pfc.WithoutFCS} {
		b.Run(name, func(b *testing.B) {
			var buf [pfc.FrameBytes]byte
			f := pfc.Stop(port, pfc.Of(3), pfc.MaxQuanta)
			b.ReportAllocs()
			for b.Loop() {
				f.AppendTo(buf[:0], fcs)
			}
		})
	}
}

// XOFF of one priority, and XON, in turn.
func BenchmarkReceive(b *testing.B) {
	r := receiver(b, pfc.Config{Rate: 100 * unit.Gbps, Enabled: pfc.All})
	xoff, xon := pfc.Stop(port, pfc.Of(3), pfc.MaxQuanta), pfc.Stop(port, pfc.Of(3), 0)
	now := unit.Time(0)
	b.ReportAllocs()
	for b.Loop() {
		now += unit.Microsecond
		r.Receive(now, xoff)
		r.Receive(now, xon)
	}
}
