package scenario

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/unit"
)

// sender reads how a flow sends: its frames, when it has data, and what limits
// it. The zero sender sends full frames at the rate of the flow, without
// acknowledgements. window is bytes that may be on their way without an acknowledgement, message and spread are bytes
// and time, and 0 of each is what fabric.Sender says of it.
func (r *reader) sender(v *document.Value) (s fabric.Sender) {
	f := v.Fields("frames", "message", "spread", "on_off", "window", "ack", "dcqcn", "bursts")
	for _, x := range f["frames"].Items() {
		s.Frames = append(s.Frames, document.Quantity(x, unit.ParseBytes))
	}
	s.Message = document.Quantity(f["message"], unit.ParseBytes)
	s.Spread = document.Quantity(f["spread"], unit.ParseTime)
	s.Window = document.Quantity(f["window"], unit.ParseBytes)
	// With exponential both are means of random times, whose seed is that of the scenario.
	on := f["on_off"].Fields("on", "off", "exponential")
	f["on_off"].Need(on, "on", "off")
	s.OnOff = fabric.OnOff{On: document.Quantity(on["on"], unit.ParseTime),
		Off: document.Quantity(on["off"], unit.ParseTime), Exponential: on["exponential"].Boolean()}
	// A recorded trace of an application: bytes that become available at given
	// times.
	for _, x := range f["bursts"].Items() {
		g := x.Fields("at", "bytes")
		x.Need(g, "at", "bytes")
		s.Trace = append(s.Trace, fabric.Burst{At: document.Quantity(g["at"], unit.ParseTime),
			Bytes: document.Quantity(g["bytes"], unit.ParseBytes)})
	}
	if x := f["ack"]; x != nil {
		g := x.Fields("every", "class", "frame", "timeout", "selective")
		x.Need(g, "every")
		// every is a number of frames, and frame the length of an ACK with its check sequence.
		s.ACK = fabric.ACK{Every: int(g["every"].Integer(1, 1<<20)), Class: r.feedbackClass(g["class"]),
			Frame:   document.Quantity(g["frame"], unit.ParseBytes),
			Timeout: document.Quantity(g["timeout"], unit.ParseTime), Selective: g["selective"].Boolean()}
	}
	take(&s.DCQCN, f["dcqcn"], r.dcqcn)
	return s
}

// dcqcn reads the parameters of DCQCN. A missing one is 0, which package fabric
// replaces by its default. Times are those of the paper's timers, rates bit/s, and the byte counter bytes;
// cnp_interval is that of the receiver.
func (r *reader) dcqcn(v *document.Value) *fabric.DCQCN {
	f := v.Fields("gain", "alpha_timer", "timer", "byte_counter", "recovery", "increase", "hyper", "least",
		"cnp_interval", "cnp_class", "cnp_frame")
	return &fabric.DCQCN{
		// The letters are those of Zhu et al. (SIGCOMM 2015).
		Gain:        int(f["gain"].Integer(1, 1<<20)),                      // 1/g
		AlphaTimer:  document.Quantity(f["alpha_timer"], unit.ParseTime),   // K
		Timer:       document.Quantity(f["timer"], unit.ParseTime),         // T
		ByteCounter: document.Quantity(f["byte_counter"], unit.ParseBytes), // B
		Recovery:    int(f["recovery"].Integer(1, 100)),                    // F
		Increase:    document.Quantity(f["increase"], unit.ParseBitRate),   // R_AI
		Hyper:       document.Quantity(f["hyper"], unit.ParseBitRate),      // R_HAI
		Least:       document.Quantity(f["least"], unit.ParseBitRate),
		CNPInterval: document.Quantity(f["cnp_interval"], unit.ParseTime), CNP: r.feedbackClass(f["cnp_class"]),
		CNPFrame: document.Quantity(f["cnp_frame"], unit.ParseBytes),
	}
}

// feedbackClass reads the class of ACKs or CNPs. Without one they have priority
// 0. A class of their own keeps them from waiting behind the data that they
// control. Untagged networks have no PCP (-1), for feedback as for data.
func (r *reader) feedbackClass(v *document.Value) (out fabric.Class) {
	if c := r.classOf(v); c >= 0 {
		out = fabric.Class{Priority: r.s.Classes[c].Priority, PCP: r.s.Classes[c].Priority, DSCP: r.s.Classes[c].DSCP}
	}
	if !r.tagged {
		out.PCP = -1
	}
	return out
}
