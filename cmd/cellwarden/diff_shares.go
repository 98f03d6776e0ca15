package main

import (
	publish "github.com/cellwarden/cellwarden/report"
)

// This file prints what two plans have different in virtual channels (CBFC) and in groups of queues (ETS).

// channelChanges lists the changes of channels. Ports and channels that change alike share a row, as groups do.
func channelChanges(changes []publish.ChannelChange) section {
	like := make([]publish.GroupChange, len(changes))
	for i, c := range changes {
		like[i] = publish.GroupChange{Port: c.Port, Group: c.Channel, Class: c.Class, Slices: c.Slices, State: c.State,
			Value: c.Value, From: c.From, To: c.To, Change: c.Change}
	}
	s := groupChanges(like)
	s.name, s.title, s.columns[1] = "channels", "Virtual channels (CBFC)", "channels"
	return s
}

// shareChanges lists the changes of groups and queues.
func shareChanges(changes []publish.ShareChange) section {
	s := section{name: "ets", title: "Shares of the bandwidth, by groups (ETS)",
		columns: []string{"ports", "speed", "group or queue", "value", "state", "from", "to"}}
	for _, c := range changes {
		s.row(c.Ports, number(c.Speed), c.Item, c.Value, c.State, dash(c.From), dash(c.To))
	}
	return s
}
