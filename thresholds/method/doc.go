// Package method holds the ways to size headroom that vendors and operating
// systems use, beside IEEE 802.1Qbb's, and the registry that makes each of them
// from its name and its options as text. Every method is a [thresholds.Sizer].
//
//	sonic.go       SONiC's dynamic buffer model (the Lua plug-in for NVIDIA's chips)
//	broadcom.go    Broadcom's delay formula, and the SDK's for Tomahawk 3
//	mlxsw.go       the Linux driver of NVIDIA Spectrum
//	mlx5.go        the Linux driver of ConnectX, the host's end of the cable
//	cisco.go       the practical method of Cisco's book for Nexus 9000
//	juniper.go     Junos' cable-length and MRU
//	options.go     names, options, and [NewSizer]
//
// A method that reads a vendor's table stands in package table.
package method
