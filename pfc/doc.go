// Package pfc is priority flow control as it is seen on the wire: the frame
// that stops a priority, how long it stops it, and the timers of whoever
// receives it.
//
// A switch whose buffer for a priority is nearly full sends its neighbour a
// [Frame]: stop sending priority 3 for so many quanta. A quantum is the time of
// 512 bits at the speed of the link, 12.8 ns at 40G, so the longest pause,
// 65,535 quanta, is 838.848 us there and 41.9424 us at 800G: [Duration].
// The neighbour's [Receiver] starts a timer and resumes when it runs out, or
// earlier, when a frame comes with a time of zero. Whoever stays full repeats
// the frame before the timer runs out: [Sender] says when.
//
// One frame speaks of all eight priorities. Its class-enable vector has a bit
// for each, bit N for priority N: 00-08 is priority 3, 00-18 priorities 3 and 4.
// A priority whose bit is off is not mentioned, whatever stands in its time.
//
// The older PAUSE of IEEE 802.3x, link-level flow control (LLFC), is here too,
// as [LinkPause]: one time, and everything on the link stops.
//
// Nothing here has a clock or a port. Time is an argument, picoseconds since a
// moment of the caller's choice; frames are values; the caller sends them.
//
// Sources: the frame is IEEE 802.1Qbb, in IEEE 802.3 annex 31D today; MAC
// control frames are IEEE 802.3 clause 31, PAUSE is annex 31B. The layout agrees
// with Wireshark's dissector (packet-maccontrol.c) and AMD's MAC (PG051).
//
// Not modelled: the time between the arrival of a frame and the stop of its
// priority (the response time of 31B.3.7, which a link adds), the frame that the
// sender has begun, MACsec, and PAUSE frames to a station's own address.
package pfc
