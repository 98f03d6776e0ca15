package report

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
)

// credits explains the credits of each virtual channel of the port: those that are its own, and its limit on those that
// the channels share.
func (x *explainer) credits() (out []ExplainItem) {
	_, feeds, _ := x.a.PipeOf(x.i)
	rows := x.a.ChannelsOf(x.i)
	for k := range rows {
		c := &rows[k]
		if c.Slice != feeds[0] {
			continue // a row for each slice says the same
		}
		one := ExplainItem{Item: "credits", Channel: new(c.Channel), Class: c.Class, Slices: feeds}
		x.channel(&one, c)
		out = append(out, one)
	}
	return out
}

// channel explains the credits of one channel.
func (x *explainer) channel(one *ExplainItem, c *buffer.Channel) {
	class, path := x.class(c.Class)
	one.set(c.Reserved, fmt.Sprintf("%d credits (%v)", c.Reserved, c.ReservedGranted))
	one.How = "credits (CBFC), a reserved cell for each: "
	if class.Reserved.IsGiven() {
		one.How += "given by the topology"
	} else {
		one.How += "as many as keep the link full; delays of the ends are inferred"
	}
	x.ask(one, path+".reserved", c.ReservedAsked.String())
	x.cells(one, c.ReservedAsked.String(), c.ReservedAsked != c.ReservedGranted, c.Reserved, "up")
	one.Notes = append(one.Notes, fmt.Sprintf("traffic classes %v are in channel %d", c.Traffic, c.Channel))
	switch {
	case c.Mode == cbfc.ReservedOnly:
		one.Notes = append(one.Notes, "the channel uses no shared credits: the class has neither alpha nor static_limit")
	case c.Mode == cbfc.UpTo:
		one.Notes = append(one.Notes, fmt.Sprintf("at most %d of the %d shared credits of the port besides, so %d while no "+
			"other channel uses them", c.Limit, c.Shared, c.Alone))
		x.ask(one, path+".static_limit", c.LimitAsked.String())
		x.cells(one, c.LimitAsked.String(), c.LimitAsked != c.LimitGranted, c.Limit, "down")
	default:
		one.Notes = append(one.Notes, fmt.Sprintf("at most 2^%d times the free ones of the %d shared credits of the port "+
			"besides, so %d while no other channel uses them", c.Alpha.DynamicTh(), c.Shared, c.Alone))
		x.ask(one, path+".alpha", c.Alpha.String())
	}
	if c.FullRate > 0 {
		one.Notes = append(one.Notes, fmt.Sprintf("%d keep the link full", c.FullRate))
	}
}
