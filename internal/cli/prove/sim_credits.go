package prove

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/unit"
)

// This file prints the credits (CBFC), the retry (LLR) and the errors of the links of a run.

// simChannel is a virtual channel in one direction of a link.
type simChannel struct {
	From      string       `json:"from"`
	To        string       `json:"to"`
	Class     string       `json:"class"`
	Channel   int          `json:"channel"`
	Consumed  int64        `json:"consumed_credits"`
	Freed     int64        `json:"freed_credits"` // at the receiver
	Returned  int64        `json:"returned_credits"`
	InUse     cbfc.Credits `json:"in_use_credits"` // at the end
	MostInUse cbfc.Credits `json:"max_in_use_credits"`
	Waited    int64        `json:"without_credits_ps"`
	Leaked    int64        `json:"leaked_credits"`
	Repaired  int64        `json:"repaired_credits"`
}

// simLayer is what the link layer of a port sent and lost.
type simLayer struct {
	Port       string `json:"port"`
	CFSent     int64  `json:"cf_updates_sent"`
	CFLost     int64  `json:"cf_updates_lost"` // of those that the port sent
	CCSent     int64  `json:"cc_updates_sent"`
	CCLost     int64  `json:"cc_updates_lost"` // of those that its neighbour sent
	Corrupted  int64  `json:"frames_corrupted"`
	Replays    int64  `json:"llr_replays"`
	Repeated   int64  `json:"llr_frames_resent"`
	Timeouts   int64  `json:"llr_timeouts"`
	Flushes    int64  `json:"llr_flushes"`
	GivenUp    int64  `json:"llr_frames_given_up"` // by the neighbour
	Most       int64  `json:"llr_max_frames"`
	Full       int64  `json:"llr_full_ps"`
	Acks       int64  `json:"llr_acks_sent"`
	Nacks      int64  `json:"llr_nacks_sent"`
	Duplicates int64  `json:"llr_duplicates"`
}

// simPlanned is how the links of a switch count the credits of its plan, and what is assumed of its neighbours.
type simPlanned struct {
	Switch   string     `json:"switch"`
	Credit   unit.Bytes `json:"credit_bytes"`
	Overhead unit.Bytes `json:"overhead_bytes"`
	Assumed  []string   `json:"assumed_neighbours"`
}

// plannedCredits lists the switches whose plans have credits.
func plannedCredits(s *scenario.Scenario) (out []simPlanned) {
	for _, p := range s.PlannedCredits {
		out = append(out, simPlanned{p.Switch, p.Account.Credit, p.Account.Overhead, append([]string{}, p.Assumed...)})
	}
	return out
}

// text is the account in a line, with some of the neighbours whose account is assumed.
func (p *simPlanned) text() string {
	out := fmt.Sprintf("%s: those of its plan; a credit is %v, a packet has %v more than its length", p.Switch, p.Credit,
		p.Overhead)
	const shown = 4
	n := len(p.Assumed)
	if n == 0 {
		return out
	}
	names := strings.Join(p.Assumed[:min(n, shown)], ", ")
	if n > shown {
		names += fmt.Sprintf(" and %d more", n-shown)
	}
	return fmt.Sprintf("%s; assumed: neighbours without a plan count alike and give as many (%s)", out, names)
}

// channelsOf returns the virtual channels of a run, and what the ports sent for them.
func channelsOf(s *scenario.Scenario, r *scenario.Result) (channels []simChannel, layers []simLayer) {
	state := map[fabric.End]*scenario.LinkLayer{}
	for i := range r.LinkLayers {
		state[r.LinkLayers[i].At] = &r.LinkLayers[i]
	}
	peer := map[fabric.End]fabric.End{}
	for i := range s.Network.Links {
		l := &s.Network.Links[i]
		peer[l.A], peer[l.B] = l.B, l.A
	}
	for i := range r.LinkLayers {
		p := &r.LinkLayers[i]
		layers = append(layers, simLayer{p.Name, p.CFSent, p.CFLost, p.CCSent, p.CCLost, p.Corrupted, p.Replays, p.Repeated,
			p.Timeouts, p.Flushes, p.GivenUp, p.Most, int64(p.Full), p.Acks, p.Nacks, p.Duplicates})
		to := state[peer[p.At]]
		for n := range fabric.Priorities {
			if !p.Takes.Has(n) {
				continue
			}
			tx, rx := &p.Channels[n], &to.Channels[n]
			channels = append(channels, simChannel{p.Name, to.Name, s.ClassName(n), n, tx.Consumed, rx.Freed, tx.Returned,
				p.InUse[n], tx.MostInUse, int64(tx.Waited), rx.Leaked, rx.Repaired})
		}
	}
	return channels, layers
}

// simCredits is the table of the virtual channels that were used.
func simCredits(channels []simChannel) cli.Section {
	s := cli.Section{Name: "credits", Title: "Credits (CBFC)", Columns: []string{"from", "to", "class", "consumed", "freed",
		"most in use", "without credits", "leaked", "repaired"}}
	more := 0
	for i := range channels {
		c := &channels[i]
		switch {
		case c.Consumed == 0:
		case len(s.Rows) == simRows:
			more++
		default:
			s.Row(c.From, c.To, c.Class, cli.Count(c.Consumed), cli.Count(c.Freed), cli.Count(int64(c.MostInUse)),
				unit.Time(c.Waited).String(), cli.Count(c.Leaked), cli.Count(c.Repaired))
		}
	}
	if more > 0 {
		s.Title += fmt.Sprintf(" (the first %d; %d more)", simRows, more)
	}
	return s
}

// simLinkLayers is the table of the messages, the errors and the retry of the ports.
func simLinkLayers(layers []simLayer) cli.Section {
	s := cli.Section{Name: "link-layer", Title: "Messages, errors and retry (LLR) of links", Columns: []string{"port",
		"CF_Updates sent", "CC_Updates sent", "frames corrupted", "replays", "frames resent", "timeouts", "given up",
		"buffer full"}}
	for i := range layers[:min(len(layers), simRows)] {
		l := &layers[i]
		s.Row(l.Port, cli.Count(l.CFSent), cli.Count(l.CCSent), cli.Count(l.Corrupted), cli.Count(l.Replays), cli.Count(l.Repeated),
			cli.Count(l.Timeouts), cli.Count(l.GivenUp), unit.Time(l.Full).String())
	}
	if n := len(layers) - simRows; n > 0 {
		s.Title += fmt.Sprintf(" (the first %d; %d more)", simRows, n)
	}
	return s
}
