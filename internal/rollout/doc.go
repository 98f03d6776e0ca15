// Package rollout brings a change to many switches in waves.
//
// [Waves] sorts switches into waves: one of each role first, then a tenth, then the rest in parts, never two planes and
// never two peers together, and both ends of a cable that must not be changed apart in one wave. [Run] does them one
// after another: it looks whether each switch is as expected, sends, waits, looks again and compares what the switches
// have counted with switches that are not touched. It knows no gNMI: [Devices] has what is done to a switch. The
// [Progress] is saved before and after every step, so that a run that was killed goes on where it was.
package rollout
