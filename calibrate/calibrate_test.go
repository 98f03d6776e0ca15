package calibrate

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func show(r Result) {
	for _, p := range r.Parameters {
		fmt.Printf("%-28s %-8s known=%v outer=%v %s  | %v | %v\n", p.Name, p.Of, p.Known, p.Outer, p.Value(), p.Basis, p.Assumed)
	}
	fmt.Println(r.Agrees, r.Contradictions, len(r.candidates))
}

func TestTrace(t *testing.T) {
	f := Fill{From: "trace", Packet: 64, Groups: 21, InTurn: true, ToDrop: true}
	for g, x := range map[int][2]int64{0: {20036, 20523}, 1: {10021, 10508}, 18: {6, 493}, 19: {6, 181}, 20: {6, 7}} {
		f.Readings = append(f.Readings, Reading{Group: g, What: XOFF, Is: Exactly(x[0])}, Reading{Group: g, What: Drop, Is: Exactly(x[1])})
	}
	r, err := Calibrate(Measurements{Fills: []Fill{f}}, nil)
	require.NoError(t, err)
	show(r)
	r, err = Calibrate(Measurements{Fills: []Fill{{From: "one", Packet: 64, Readings: []Reading{{What: XOFF, Is: Exactly(6542)}}}}}, nil)
	require.NoError(t, err)
	show(r)
}
