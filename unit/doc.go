// Package unit has the quantities of a buffer plan: bytes, bit rates, lengths, times and percentages. Each is a type of
// its own, so the compiler refuses a rate where a length is expected.
//
// All quantities are integers in a small base unit: byte, bit per second, millimetre, picosecond, hundredth of a
// percent. A byte takes a whole number of picoseconds at every Ethernet rate from 10 Mb/s to 1.6 Tb/s, and light in
// fibre takes a whole number of picoseconds for a millimetre. So the terms of a headroom need no rounding before they
// are added up.
//
// A text always has a unit: "9216B", "400G", "300m", "1.5us", "20%". A number without a unit is refused, because a 400
// in a capacity plan can mean many things. KB, MB and GB are decimal, as SI has them: 1MB is 1,000,000 bytes. KiB, MiB
// and GiB are binary.
package unit
