// Package unit holds the quantities a buffer plan is made of: bytes, bit
// rates, lengths, times and percentages, each a type of its own, so that the
// compiler refuses a rate where a length belongs.
//
// All of them are integers in a small base unit (byte, bit per second,
// millimetre, picosecond, hundredth of a percent). One byte lasts a whole
// number of picoseconds at every Ethernet rate from 10 Mb/s to 1.6 Tb/s, and
// light in fibre needs a whole number of picoseconds for a millimetre, so
// nothing in a headroom sum has to be rounded before its end.
//
// Text always carries a unit: "9216B", "400G", "300m", "1.5us", "20%".
// A number alone is refused, because 400 of what is the most expensive
// question of a capacity plan. There is no KB: it means 1000 bytes to some and
// 1024 to others; write KiB or count the bytes.
package unit
