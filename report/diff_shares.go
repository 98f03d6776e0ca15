package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// This file compares values of groups and of virtual channels (CBFC), and how ports share their bandwidth (ETS).

// ChannelChange is a value of a virtual channel that changes.
type ChannelChange struct {
	Port    string       `json:"port"`
	Channel int          `json:"channel"`
	Class   string       `json:"class"`
	Slices  []int        `json:"slices"` // in which the channel is charged, in the second plan if it has the channel
	State   string       `json:"state"`  // as of a group: "changed", "new" or "gone"
	Value   string       `json:"value"`  // traffic_classes, reserved_credits, shared_limit, ...
	From    string       `json:"from"`   // empty: the plan does not have the channel
	To      string       `json:"to"`
	Change  *cells.Count `json:"change_credits,omitempty"` // of a value in credits
}

// rowValue is a value of a group or of a channel that is compared, by its key in the document.
type rowValue[T any] struct {
	key    string
	amount func(*T) cells.Count // nil: not a number of cells or credits
	of     func(*T) string      // nil: amount
}

// diff compares the value in two rows, of which one may be nil. A row that is new or gone has all values that are not
// empty. class is that of a row.
func (v *rowValue[T]) diff(a, b *T, class func(*T) string) (GroupChange, bool) {
	c, change := GroupChange{Value: v.key, State: "changed"}, cells.Count(0)
	text := func(row *T, sign cells.Count) string {
		if v.amount == nil {
			return v.of(row)
		}
		change += sign * v.amount(row)
		return number(v.amount(row))
	}
	if a != nil {
		c.Class, c.From = class(a), text(a, -1)
	}
	if b != nil {
		c.Class, c.To = class(b), text(b, 1)
	}
	switch {
	case a == nil:
		c.State = "new"
	case b == nil:
		c.State = "gone"
	case c.From == c.To:
		return c, false
	}
	if v.amount != nil {
		c.Change = new(change)
	}
	empty := c.State != "changed" && (c.From+c.To == "0" || v.key == "lossless" && c.From+c.To == "false")
	return c, !empty
}

// channelValues are the values of a channel that are compared.
var channelValues = []rowValue[Channel]{
	{"class", nil, func(c *Channel) string { return c.Class }},
	{"traffic_classes", nil, trafficText},
	{"reserved_credits", func(c *Channel) cells.Count { return c.Reserved }, nil},
	{"shared_limit", nil, func(c *Channel) string {
		switch {
		case c.Dynamic != nil:
			return fmt.Sprintf("dynamic 2^%d", *c.Dynamic)
		case c.Limit == "static":
			return fmt.Sprintf("static %d credits", c.Static)
		}
		return c.Limit
	}},
	{"port_shared_credits", func(c *Channel) cells.Count { return c.Shared }, nil},
	{"credits_alone", func(c *Channel) cells.Count { return c.Alone }, nil},
	{"full_rate_credits", func(c *Channel) cells.Count { return c.FullRate }, nil},
	{"reserved_asked_bytes", nil, func(c *Channel) string { return number(c.ReservedAsked) }},
	{"static_limit_asked_bytes", nil, func(c *Channel) string { return number(c.LimitAsked) }},
	{"port_shared_asked_bytes", nil, func(c *Channel) string { return number(c.SharedAsked) }},
}

// trafficText folds the traffic classes of a channel. Of a document that was written by hand, those that no switch has
// are listed as they are.
func trafficText(c *Channel) string {
	if slices.ContainsFunc(c.Traffic, func(t int) bool { return t < 0 || t >= cbfc.MaxTraffic }) {
		return fmt.Sprint(c.Traffic)
	}
	return cbfc.Traffic(c.Traffic...).String()
}

// diffChannels compares the channels by port and number; the rows of a channel are alike in all slices. nil: nothing
// changes.
func diffChannels(from, to []Channel) (out []ChannelChange) {
	type place struct {
		port    string
		channel int
	}
	type row struct {
		of [2]*Channel // both plans; nil: a plan does not have it
		in []int       // slices
	}
	var rows grouped.By[place, row]
	for side, list := range [2][]Channel{from, to} {
		for i := range list {
			c := &list[i]
			r := rows.Of(place{c.Port, c.Channel})
			if r.of[side] == nil {
				r.of[side], r.in = c, nil
			}
			r.in = append(r.in, c.Slice)
		}
	}
	slices.SortFunc(rows.Keys, func(a, b place) int {
		return cmp.Or(buffer.ComparePorts(a.port, b.port), cmp.Compare(a.channel, b.channel))
	})
	for at, r := range rows.All() {
		for k := range channelValues {
			c, differs := channelValues[k].diff(r.of[0], r.of[1], func(c *Channel) string { return c.Class })
			if differs {
				out = append(out, ChannelChange{at.port, at.channel, c.Class, r.in, c.State, c.Value, c.From, c.To, c.Change})
			}
		}
	}
	return out
}

// ShareChange is a value of a group of queues, or of a queue, that changes (ETS).
type ShareChange struct {
	Ports string `json:"ports"` // folded: ports of one speed with the same classes
	Speed string `json:"speed"`
	Item  string `json:"item"`  // "group 1", "queue 3"
	State string `json:"state"` // "changed", "new" or "gone"
	Value string `json:"value"`
	From  string `json:"from"` // empty: the plan does not have it
	To    string `json:"to"`
}

// shareItem is a group or a queue of the ports of one kind.
type shareItem struct{ ports, speed, item string }

// shareValues lists the values of the schedules, each as a pair of its name and its text, in the order of the document.
func shareValues(list []Schedule) *grouped.By[shareItem, [][2]string] {
	var values grouped.By[shareItem, [][2]string]
	add := func(at shareItem, pairs ...[2]string) { *values.Of(at) = append(*values.Of(at), pairs...) }
	for _, s := range list {
		for _, g := range s.Groups {
			rate := ""
			if g.IdleSlope > 0 {
				rate = g.IdleSlope.String()
			}
			add(shareItem{s.Ports, s.Speed.String(), fmt.Sprintf("group %d", g.Number)}, [2]string{"name", g.Name},
				[2]string{"tsa", g.Algorithm}, [2]string{"bandwidth_percent", strconv.Itoa(g.Bandwidth)},
				[2]string{"idle_slope", rate})
			for _, q := range g.Queues {
				share, least := "", ""
				if q.Share != nil {
					share = q.Share.String()
				}
				if q.Least > 0 {
					least = q.Least.String()
				}
				add(shareItem{s.Ports, s.Speed.String(), fmt.Sprintf("queue %d", q.Queue)},
					[2]string{"group", strconv.Itoa(g.Number)}, [2]string{"strict", strconv.FormatBool(q.Strict)},
					[2]string{"weight", strconv.Itoa(q.Weight)}, [2]string{"share", share}, [2]string{"least_rate", least})
			}
		}
	}
	return &values
}

// diffShares compares the groups and queues of ports that are of one kind in both plans. nil: nothing changes.
func diffShares(from, to []Schedule) (out []ShareChange) {
	before, after := shareValues(from), shareValues(to)
	for _, at := range grouped.Add(slices.Clone(after.Keys), before.Keys...) { // what is gone comes last
		x, y := *before.Of(at), *after.Of(at)
		state := "changed"
		switch {
		case x == nil:
			state, x = "new", make([][2]string, len(y))
		case y == nil:
			state, y = "gone", make([][2]string, len(x))
		}
		for i := range min(len(x), len(y)) {
			if x[i][1] == y[i][1] {
				continue
			}
			out = append(out, ShareChange{Ports: at.ports, Speed: at.speed, Item: at.item, State: state,
				Value: cmp.Or(y[i][0], x[i][0]), From: x[i][1], To: y[i][1]})
		}
	}
	return out
}
