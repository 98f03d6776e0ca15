package plan

import (
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
)

// This file prints what two plans have different in virtual channels (CBFC) and in groups of queues (ETS).

// channelChanges lists the changes of channels. Ports and channels that change alike share a row, as groups do.
func channelChanges(changes []report.ChannelChange) cli.Section {
	like := make([]report.GroupChange, len(changes))
	for i, c := range changes {
		like[i] = report.GroupChange{Port: c.Port, Group: c.Channel, Class: c.Class, Slices: c.Slices, State: c.State,
			Value: c.Value, From: c.From, To: c.To, Change: c.Change}
	}
	s := groupChanges(like)
	s.Name, s.Title, s.Columns[1] = "channels", "Virtual channels (CBFC)", "channels"
	return s
}

// shareChanges lists the changes of groups and queues.
func shareChanges(changes []report.ShareChange) cli.Section {
	s := cli.Section{Name: "ets", Title: "Shares of the bandwidth, by groups (ETS)",
		Columns: []string{"ports", "speed", "group or queue", "value", "state", "from", "to"}}
	for _, c := range changes {
		s.Row(c.Ports, cli.Number(c.Speed), c.Item, c.Value, c.State, cli.Dash(c.From), cli.Dash(c.To))
	}
	return s
}
