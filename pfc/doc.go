// Package pfc implements priority flow control on the link: the pause frame,
// how long it stops a priority, and the timers of its receiver.
//
// A switch whose buffer for a priority is nearly full sends its neighbour a
// [Frame]: stop sending priority 3 for n quanta. A quantum is the time of
// 512 bits at the speed of the link, 12.8 ns at 40G. The longest pause, 65,535 quanta, is 838.848 us at 40G and 41.9424
// us at 800G: see [Duration]. The neighbour's [Receiver] starts a timer. It resumes the priority when the timer
// expires, or earlier when a frame with a time of zero arrives. A switch that needs a longer pause repeats the frame
// before the timer expires: [Sender] says when.
//
// One frame covers all eight priorities. Its class-enable vector has bit N for priority N: 00-08 is priority 3, 00-18
// are priorities 3 and 4. A priority whose bit is off is not changed, whatever its time is.
//
// The older PAUSE of IEEE 802.3x, link-level flow control (LLFC), is
// [LinkPause]. It has one time and stops everything on the link.
//
// The package has no clock and no port. Time is an argument, in picoseconds since a moment that the caller chooses.
// Frames are values, and the caller sends them.
//
// Sources: the frame is that of IEEE 802.1Qbb, now in IEEE 802.3 annex 31D. MAC control frames are in IEEE 802.3 clause
// 31, PAUSE is in annex 31B. The layout agrees with Wireshark's dissector (packet-maccontrol.c) and AMD's MAC (PG051).
//
// Not modelled: the time from the arrival of a frame to the stop of its priority (the response time of 31B.3.7, which a
// link adds), the frame that the sender has begun, MACsec, and PAUSE frames to a station's own address.
package pfc
