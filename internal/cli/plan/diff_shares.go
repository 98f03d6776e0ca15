package plan

import (
	"github.com/cellwarden/cellwarden/internal/cli"
	publish "github.com/cellwarden/cellwarden/report"
)

// This file prints what two plans have different in virtual channels (CBFC) and in groups of queues (ETS).

// channelChanges lists the changes of channels. Ports and channels that change alike share a row, as groups do.
func channelChanges(changes []publish.ChannelChange) cli.Section {
	like := make([]publish.GroupChange, len(changes))
	for i, c := range changes {
		like[i] = publish.GroupChange{Port: c.Port, Group: c.Channel, Class: c.Class, Slices: c.Slices, State: c.State,
			Value: c.Value, From: c.From, To: c.To, Change: c.Change}
	}
	s := groupChanges(like)
	s.Name, s.Title, s.Columns[1] = "channels", "Virtual channels (CBFC)", "channels"
	return s
}

// shareChanges lists the changes of groups and queues.
func shareChanges(changes []publish.ShareChange) cli.Section {
	s := cli.Section{Name: "ets", Title: "Shares of the bandwidth, by groups (ETS)",
		Columns: []string{"ports", "speed", "group or queue", "value", "state", "from", "to"}}
	for _, c := range changes {
		s.Row(c.Ports, cli.Number(c.Speed), c.Item, c.Value, c.State, cli.Dash(c.From), cli.Dash(c.To))
	}
	return s
}
