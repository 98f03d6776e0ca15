// Package observed reads what ports were observed to send by LLDP: packet captures (pcap and pcapng), and the JSON of
// lldpd's client, lldpcli.
//
// [Capture] returns each port that sends LLDP in a capture, with its last frame. [Neighbours] returns what each
// interface of a machine hears, from `lldpcli -f json show neighbors details`; lldpd does not know DCBX, and lists its
// TLVs as unknown ones with their bytes, from which the LLDPDU is made again.
//
// Inputs are of another author: they are bounded, and what cannot be read is an error that says where.
package observed
