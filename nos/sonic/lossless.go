package sonic

import (
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// groupBytes are the numbers of a group's profile.
type groupBytes struct{ reserved, xoff, xon, offset unit.Bytes }

// bytesOf returns the numbers of a group's profile. The registers of a plan are whole cells, rounded as the chip
// rounds. A table, SONiC's formula and an XON offset of the topology have bytes: these are written as they are, as long
// as the plan's registers are what the chip makes of them, because the switch rounds by itself.
func (w *writer) bytesOf(p *nos.Port, n int, g nos.Group) groupBytes {
	out := groupBytes{reserved: g.Reserved, xoff: g.Headroom, offset: g.XONOffset}
	class, chip := w.plan.Class(n), &w.plan.Intent.Chip
	if !g.Lossless {
		out.reserved = w.inBytes(n, g.Reserved, func(c *buffer.Class) unit.Bytes { return c.Reserved.Or(0) },
			chip.ReservedGranted)
		return out
	}
	if class == nil || w.plan.Intent.Sizing == nil {
		return out
	}
	h, err := w.plan.Intent.Sizing.Size(p.Link(w.plan.MTU(p, n)), w.plan.Intent.Memory())
	if err != nil {
		return out
	}
	reserve, xoff := h.XON, h.XOFF
	if w.dedicated {
		reserve = max(reserve, h.Size-h.XOFF)
	}
	if h.Profile.Stated {
		xoff, reserve = h.Profile.XOFF, h.Profile.Size
		if w.dedicated && reserve >= xoff { // the table's size includes the headroom
			reserve -= xoff
		}
	}
	if byBytes := h.Profile.Stated || h.Size > 0; byBytes {
		if chip.HeadroomGranted(xoff) == g.Headroom {
			out.xoff = xoff
		}
		if chip.ReservedGranted(reserve) == g.Reserved {
			out.reserved = reserve
		}
	}
	stated, given := class.XONOffset.Get()
	if !given {
		stated, given = h.XONOffset.Get()
	}
	if given && chip.ResumeOffsetGranted(stated) == g.XONOffset {
		out.offset = stated
	}
	out.xon = w.xon(p, h)
	return out
}

// inBytes returns what a group is granted in the bytes that the topology states, where the plan's cells are what the
// chip makes of them: each slice has the whole cells of its part.
func (w *writer) inBytes(n int, granted unit.Bytes, stated func(*buffer.Class) unit.Bytes,
	held func(unit.Bytes) unit.Bytes) unit.Bytes {
	for i := range w.plan.Intent.Classes {
		c := &w.plan.Intent.Classes[i]
		if slices.Contains(c.Groups(), n) && held(stated(c)) == granted {
			return stated(c)
		}
	}
	return granted
}

// xon is the number of bytes below which a paused group resumes whatever its limit is: SAI has it resume below
// max(XON_TH, limit - XON_OFFSET). A plan has no register for it. It is the value of the table or the formula that the
// headroom is from, else that of the row in the switch's table, else that of the profile that the switch has for the
// speed and cable. 0 is no such floor.
func (w *writer) xon(p *nos.Port, h thresholds.Headroom) unit.Bytes {
	if h.Profile.Stated {
		return h.Profile.XON
	}
	if h.XON > 0 {
		return h.XON
	}
	if row, _ := w.manager.hasRow(p); row != nil {
		return row.XON
	}
	return textBytes(w.now["BUFFER_PROFILE"][managedName(p)]["xon"])
}

// textBytes reads a field with a number of bytes; 0 if it has none.
func textBytes(text string) unit.Bytes {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return unit.Bytes(n)
}
