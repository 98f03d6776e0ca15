// Package prove has the verbs that prove a plan in simulation or find the numbers of a chip: verify, sim, probe,
// calibrate and risk.
//
// Each verb reads its flags and its files in the file of its name, calls a library, and prints in files of its name
// with _report behind it:
//
// verify plans a topology and has backend/sim build the worst case of every link on the simulated ASIC. Its verdict is
// the one by which a plan is called lossless.
//
// sim runs a scenario file in the simulator and compares it with what the file expects. What it counts is exact, unless
// --fast-forward leaves something out; the first lines say so then.
//
// probe fills the packet-level model of a chip as a tester fills a switch, and calibrate goes the other way: from what
// was measured on a switch to the numbers of its chip, as intervals.
//
// risk computes how likely an oversubscribed headroom pool overflows, where verify says only that it can.
package prove
