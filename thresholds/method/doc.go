// Package method has the methods of sizing headroom that vendors and operating systems use, in addition to that of IEEE
// 802.1Qbb, which is [thresholds.IEEE]. Every method is a [thresholds.Sizer]. The methods differ by factors: each
// states its formula and its source, and reproduces its source to the byte, with its slips.
//
// [NewSizer] makes a method from its name and from options as text, as flags and files have them. [Methods] lists the
// names. The method "table", which reads a vendor's table, is in package table.
//
//   - registry.go: names, options, and [NewSizer]
//   - sonic.go, sonic_chips.go, sonic_response.go, sonic_explain.go: SONiC's
//     dynamic buffer model
//   - broadcom_delay.go, broadcom_th3.go: the formulas of Broadcom's SDK
//   - mlxsw.go: the Linux driver of NVIDIA Spectrum
//   - mlx5.go: the Linux driver of ConnectX, for the host's end of the link
//   - cisco.go: the practical method for Nexus 9000
//   - juniper.go: a model of Junos' cable-length and MRU
package method
