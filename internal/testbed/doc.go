// Package testbed is a simulated switch for programs that test switches: a tester sends packets into ports that are
// stopped, and looks at counters.
//
// A [Switch] is one slice of an MMU (package buffer/mmu) with the sizes of a probe. A priority group is one of an
// ingress port; a packet waits for an egress port. [Switch.Hold] stops an egress port, [Switch.Drain] lets it send all
// that waits for it. [Switch.Send] sends packets that a tester makes: they do not obey pauses, as those of a traffic
// generator that looks for thresholds. [Switch.Counters] reads the pauses and drops of a group. [Switch.Check] asks in
// one step whether a number of packets pauses a group, makes it drop, or resumes it.
//
// [Serve] speaks with a tester in lines of JSON. Requests and answers:
//
//	{"op":"prepare","dst":81}                                      drain the port, and stop it
//	{"op":"hold","dst":81}                                         stop the port
//	{"op":"drain","dst":81}                                        start the port: what waits leaves
//	{"op":"send","src":10,"dst":81,"pg":3,"packets":20000}         send packets
//	{"op":"counters","src":10,"pg":3}                              read the counters of a group
//	{"op":"check","probe":"pfc_xoff","src":10,"dst":81,"pg":3,"packets":20000,"drain":true}
//	{"op":"wait","us":100000}                                      let time pass
//	{"op":"clear"}                                                 set the watermarks to what is held
//	{"op":"reset"}                                                 an empty switch
//	{"op":"describe"}                                              what the switch is
//
// An answer has "ok", and "error" if it is false. The answer of check has "detected"; those of send, check and counters
// have the counters. The probes are pfc_xoff, ingress_drop and pfc_xon; pfc_xon fills a group to fill packets, of which
// packets wait for dst and the others for holder, and drains dst.
//
// Time passes with wait alone. A paused group sends its pause again each [Refresh], as switches do, so that a tester
// sees a counter grow while a group is paused. The egress has no limits, unless the probe has them. A packet that leaks
// out is one that leaves although its port has been stopped: the first ones after each stop.
//
//	s, err := testbed.New(&p)
package testbed
