package ets

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/unit"
)

// shared returns groups with ETS, numbered from 0, with these bandwidths.
func shared(bandwidths ...int) (out []Group) {
	for n, b := range bandwidths {
		out = append(out, Group{Number: n, Selection: dcbx.Enhanced, Bandwidth: b})
	}
	return out
}

func TestValidateGroups(t *testing.T) {
	strict := Group{Number: dcbx.StrictGroup}
	shaped := Group{Number: 7, Selection: dcbx.CreditBased, IdleSlope: 30 * unit.Gbps}
	require.NoError(t, ValidateGroups(append(shared(40, 60), strict)))
	require.NoError(t, ValidateGroups(append(shared(100), shaped, Group{Number: 5})))
	require.NoError(t, ValidateGroups([]Group{{Number: 3}}), "strict groups need no bandwidth beside them")

	number := func(n int) []Group { return []Group{{Number: n}} }
	for _, c := range []struct {
		groups         []Group
		path, accepted string
	}{
		{shared(40, 59), "groups: bandwidths of 99% in sum", "100% in sum for the groups with ETS (802.1Q, D.2.8)"},
		{shared(41, 60), "groups: bandwidths of 101% in sum", "100% in sum for the groups with ETS (802.1Q, D.2.8)"},
		{shared(100, 0), "groups[1].bandwidth: 0%",
			"1% to 100% of a group with ETS; what 0% does differs from device to device"},
		{number(8), "groups[0].number: 8", "0 to 7; a priority group of CEE also 15, and 8 to 14 are reserved"},
		{append(number(2), Group{Number: 2}), "groups[1].number: 2", "a number that no other group has"},
		{[]Group{{Number: 2, Bandwidth: 10}}, "groups[0].bandwidth: 10%",
			"none: a strict group has no part of the bandwidth"},
		{[]Group{{Number: 15, Selection: dcbx.Enhanced, Bandwidth: 100}}, "groups[0].tsa: ets",
			"strict: group 15 has no limit of bandwidth"},
		{[]Group{{Number: 2, Selection: dcbx.Vendor}}, "groups[0].tsa: vendor",
			"strict, credit-based, ets: what a vendor's algorithm does is not known"},
		{[]Group{{Number: 2, Selection: 3}}, "groups[0].tsa: reserved 3",
			"strict, credit-based, ets (802.1Q, table 8-6)"},
		{[]Group{{Number: 2, Selection: dcbx.CreditBased}}, "groups[0].idle_slope: 0b/s",
			"whole kilobits per second above 0 (802.1Q, 8.6.8.2)"},
		{[]Group{{Number: 2, IdleSlope: unit.Gbps}}, "groups[0].idle_slope: 1G",
			"none: a strict group has no idle slope"},
		{append(number(2), strict), "groups[0].tsa: strict",
			"ets, because group 15 is CEE's, and CEE has no other strict or shaped group"},
		{append(shared(12, 12, 12, 12, 13, 13, 13, 13), strict), "groups: 9 groups", "at most 8 (802.1Q, 8.6.6)"},
	} {
		require.EqualError(t, ValidateGroups(c.groups), c.path+" (want "+c.accepted+")")
	}
	_, err := NewSchedule(shared(100), []Queue{{Priority: 8}, {Priority: 7, Group: 1}, {Priority: 7, Weight: 101},
		{Priority: 2, Strict: true, Weight: 3}})
	require.EqualError(t, err, `queues[0].priority: 8 (want 0 to 7)
queues[1].priority: 7 (want a priority that no other queue has)
queues[1].group: 1 (want the number of a group)
queues[2].priority: 7 (want a priority that no other queue has)
queues[2].weight: 101 (want 0 to 100)
queues[3].weight: 3 (want no weight beside strict)`)
}

func TestParseSelection(t *testing.T) {
	for text, want := range map[string]dcbx.Selection{"strict": 0, "credit-based": 1, "ets": 2, "vendor": 255, "0": 0,
		"1": 1, "2": 2, "255": 255} {
		got, err := ParseSelection(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := ParseSelection("wrr")
	require.EqualError(t, err,
		`"wrr": want strict, credit-based, ets, vendor, or the numbers 0, 1, 2, 255 of the standard`)
}

// Group 15 is a strict traffic class with a number that no other group has.
func TestClassesOfGroup15(t *testing.T) {
	classes := func(groups ...Group) []int { return grouped.Each(groups, classOf(groups)) }
	require.Equal(t, []int{0, 1, 7}, classes(append(shared(40, 60), Group{Number: 15})...))
	require.Equal(t, []int{7, 6, 5}, classes(Group{Number: 7}, Group{Number: 6}, Group{Number: 15}))
}

// The TLVs of IEEE and of CEE say the first level, and are read as the same schedule again.
func TestTablesAndBack(t *testing.T) {
	s := must(t, append(shared(40, 60), Group{Number: 15}), Queue{Priority: 3, Group: 1}, Queue{Priority: 4, Group: 1},
		Queue{Priority: 7, Group: 15}, Queue{Priority: 0})
	table := s.Table()
	require.NoError(t, table.Validate())
	require.Equal(t, dcbx.Table{Class: [8]uint8{0, 0, 0, 1, 1, 0, 0, 7}, Bandwidth: [8]uint8{40, 60},
		Selection: [8]dcbx.Selection{dcbx.Enhanced, dcbx.Enhanced}}, table)
	cee := dcbx.PriorityGroups{Feature: dcbx.Feature{Enabled: true}, Classes: dcbx.MaxClasses,
		Group: [8]uint8{0, 0, 0, 1, 1, 0, 0, dcbx.StrictGroup}, Bandwidth: [8]uint8{40, 60}}
	same, err := cee.Table()
	require.NoError(t, err)
	require.Equal(t, table, same)
}

// must returns a schedule of valid groups and queues.
func must(t *testing.T, groups []Group, queues ...Queue) *Schedule {
	t.Helper()
	s, err := NewSchedule(groups, queues)
	require.NoError(t, err)
	return s
}

// A queue's share is its group's, divided by weights. A group whose queues a port does not have counts for nothing.
func TestShares(t *testing.T) {
	percents := func(s *Schedule) (out []string) {
		for _, f := range s.Shares() {
			out = append(out, f.Percent().String())
		}
		return out
	}
	groups := append(shared(50, 30, 20), Group{Number: 7})
	s := must(t, groups, Queue{0, 0, false, 1}, Queue{1, 0, false, 3}, Queue{2, 1, false, 0}, Queue{3, 1, false, 0},
		Queue{4, 2, false, 9}, Queue{7, 7, false, 0})
	require.Equal(t, []string{"12.5%", "37.5%", "15%", "15%", "20%", "100%"}, percents(s))
	s = must(t, groups, Queue{0, 0, false, 1}, Queue{4, 2, false, 9})
	require.Equal(t, []string{"71.43%", "28.57%"}, percents(s))
	s = must(t, groups, Queue{0, 0, true, 0}, Queue{1, 0, false, 3}, Queue{4, 2, false, 0})
	require.Equal(t, []Share{{}, {}}, s.Shares()[:2], "beside a strict queue nothing is sure")
}

// What one level cannot have is named, and nothing else is.
func TestLosses(t *testing.T) {
	codes := func(groups []Group, queues ...Queue) (out []LossCode) {
		flat := must(t, groups, queues...).Flatten(Weights)
		for _, l := range flat.Losses {
			out = append(out, l.Code)
		}
		return out
	}
	two := shared(40, 60)
	require.Empty(t, codes(two, Queue{0, 0, false, 0}, Queue{1, 1, false, 0}), "one queue in each group")
	require.Empty(t, codes(shared(100), Queue{0, 0, false, 1}, Queue{1, 0, false, 2}), "one group")
	require.Equal(t, []LossCode{LostGroups},
		codes(two, Queue{0, 0, false, 0}, Queue{1, 1, false, 0}, Queue{2, 1, false, 0}))
	require.Equal(t, []LossCode{LostGroups, LostStrict}, codes(two, Queue{0, 0, false, 0}, Queue{1, 1, false, 0},
		Queue{2, 1, true, 0}))
	high := append(shared(100), Group{Number: 6}, Group{Number: 7})
	require.Empty(t, codes(high, Queue{0, 0, false, 0}, Queue{5, 6, false, 0}, Queue{6, 7, true, 0}))
	require.Equal(t, []LossCode{LostOrder},
		codes(high, Queue{0, 0, false, 0}, Queue{6, 6, false, 0}, Queue{5, 7, false, 0}))
	require.Equal(t, []LossCode{LostShares}, codes(high, Queue{5, 6, false, 0}, Queue{4, 6, false, 0}))
	require.Equal(t, []LossCode{LostOrder}, codes(high, Queue{5, 6, false, 0}, Queue{4, 6, true, 0}))
	require.Equal(t, []LossCode{LostShaper}, codes([]Group{{Number: 4, Selection: dcbx.CreditBased, IdleSlope: unit.Gbps}},
		Queue{0, 4, false, 0}))
	require.Empty(t, codes([]Group{{Number: 4, Selection: dcbx.CreditBased, IdleSlope: unit.Gbps}}), "no queue is in it")
}

// A target with both levels has the percentages of the groups, and rounds those of the queues within.
func TestPercentsOfTwoLevels(t *testing.T) {
	s := must(t, append(shared(40, 60), Group{Number: 7}), Queue{0, 0, false, 0}, Queue{3, 1, false, 2},
		Queue{4, 1, false, 1}, Queue{5, 7, true, 0})
	flat := s.Percents()
	require.Equal(t, 2, flat.Levels)
	require.Empty(t, flat.Losses)
	var got []string
	for _, turn := range flat.Turns {
		got = append(got, turn.Rounded.Asked.Percent().String()+" "+turn.Rounded.Got.Percent().String())
	}
	require.Equal(t, []string{"40% 40%", "40% 40.2%", "20% 19.8%", "0% 0%"}, got)
	require.Equal(t, "1%", flat.Turns[2].Rounded.Off().String())
	require.True(t, flat.Turns[3].Strict)
	shaped := must(t, []Group{{Number: 4, Selection: dcbx.CreditBased, IdleSlope: unit.Gbps}}, Queue{0, 4, true, 0})
	flat = shaped.Percents()
	require.Equal(t, LostShaper, flat.Losses[0].Code)
}

// Numbers of a scale: whole percents as they are, else the nearest. 1 in 300 is less than any number of the scale.
func TestRound(t *testing.T) {
	numbers := func(s Scale, parts ...int64) (out []int) {
		var shares []Share
		for _, p := range parts {
			shares = append(shares, Share{p, 0})
		}
		for _, r := range s.Round(shares) {
			out = append(out, r.Number)
		}
		return out
	}
	require.Nil(t, Weights.Round(nil))
	require.Equal(t, []int{50, 30, 20}, numbers(Weights, 5, 3, 2))
	require.Equal(t, []int{1, 2}, numbers(Weights, 1, 2), "thirds are exact as weights")
	require.Equal(t, []int{33, 67}, numbers(Percents, 1, 2))
	require.Equal(t, []int{1, 100}, numbers(Weights, 1, 299))
	require.Equal(t, []int{1, 99}, numbers(Percents, 1, 299))
	require.Equal(t, []int{1, 1, 1, 97}, numbers(Percents, 1, 1, 1, 997))
	require.Equal(t, []int{34, 33, 33}, numbers(Percents, 1, 1, 1))
	require.Equal(t, unit.Percent(0), Weights.Round([]Share{{1, 3}, {2, 3}})[0].Off())
	require.Equal(t, "1%", Percents.Round([]Share{{1, 3}, {2, 3}})[0].Off().String())
	require.Equal(t, "197.03%", Weights.Round([]Share{{1, 300}, {299, 300}})[0].Off().String(), "1 of 101 for 1 of 300")
}

// A share that is below 1 of the largest number takes nothing away from the others: with 95%, 4.95% and 0.05% the first
// two keep their ratio.
func TestRoundOfATinyShare(t *testing.T) {
	var numbers []int
	for _, r := range Weights.Round([]Share{{9500, 10000}, {495, 10000}, {5, 10000}}) {
		numbers = append(numbers, r.Number)
	}
	require.Equal(t, []int{96, 5, 1}, numbers)
	got := Weights.Round([]Share{{1, 0}, {2, 0}, {1000, 0}, {2000, 0}})
	require.Equal(t, []int{1, 1, 50, 100}, []int{got[0].Number, got[1].Number, got[2].Number, got[3].Number})
}

// Random shares: no other numbers of the scale are nearer, and percentages have their sum. A share below 1 of the
// largest number is 1, and the others are the nearest without it.
func TestRoundIsNearest(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	small := Scale{Most: 7}
	for range 120 {
		shares := []Share{{1 + r.Int63n(20), 0}, {1 + r.Int63n(20), 0}, {1 + r.Int63n(20), 0}}
		largest := max(shares[0].Part, shares[1].Part, shares[2].Part)
		var parts []int64
		var numbers []int
		sum, within := int64(0), []int{}
		for i, r := range small.Round(shares) {
			if shares[i].Part*7 < largest {
				require.Equal(t, 1, r.Number, "%v", shares)
				continue
			}
			parts, sum = append(parts, shares[i].Part), sum+shares[i].Part
			numbers, within = append(numbers, r.Number), append(within, i)
		}
		worst := func(numbers []int) (off unit.Percent) {
			for _, o := range rounded(parts, sum, numbers) {
				off = max(off, o.Off())
			}
			return off
		}
		off := worst(numbers)
		for n := range small.Most * small.Most * small.Most {
			other := []int{n%7 + 1, n/7%7 + 1, n/49 + 1}[:len(within)]
			require.LessOrEqual(t, off, worst(other), "%v: %v instead of %v", parts, other, numbers)
		}
		whole := 0
		for _, p := range Percents.Round(shares) {
			whole += p.Number
		}
		require.Equal(t, 100, whole)
	}
}
