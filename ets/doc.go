// Package ets has the two levels by which a port shares its bandwidth: groups of priorities among each other, and the
// priorities of a group among themselves. ETS is enhanced transmission selection, IEEE 802.1Qaz, now in 802.1Q.
//
// A [Group] is what the standards call
//
//   - a traffic class (802.1Q): number 0 to 7, with an algorithm by which it is chosen to send (TSA): strict, the
//     credit-based shaper, or ETS with a part of the bandwidth in percent;
//   - a priority group (CEE, DCBX 1.01): number 0 to 7 with a part of the bandwidth, or 15 ([dcbx.StrictGroup]), which
//     has no limit and sends first.
//
// Strict and shaped groups send first, the higher number before the lower. Groups with a bandwidth share what these
// leave. The part of a group is a minimum: what a group does not use, the others share.
//
// A [Schedule] is both levels of one port. In 802.1Q a traffic class has one queue. Switch chips have a queue for each
// priority, so there is a second level: the queues of a group are strict, the higher first, or share by weights.
//
//	s, err := ets.NewSchedule(groups, queues)
//	flat := s.Flatten(ets.Weights)
//
// Many switches have one level only. [Schedule.Flatten] gives each queue one weight, and says what is lost: shares that
// are rounded ([Rounded]), and what one level cannot have ([Loss]).
//
// Sources: the algorithms are those of IEEE 802.1Q-2018, clauses 8.6.8.1 to 8.6.8.3 and table 8-6, and the groups of
// CEE are those that lldpad 1.1 sends, see package dcbx. The text of the standards was not available here. That strict
// and shaped groups are in one order by their numbers is inferred.
package ets
