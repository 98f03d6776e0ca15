package main

// Every request that fits reaches the switch, one that does not fit changes nothing, and the intent outlives the
// controller.
func Example() {
	main()
	// Output:
	// unfinished pushes: 0
	// start: 10 registers sent: applied
	// admit Ethernet1/3: 5 registers sent: applied
	// longer cable: 0 registers sent: unchanged
	// too long a cable: refused, 26264 cells short
	// release Ethernet1/2: 5 registers sent: applied
	// the same registers after a restart: true
	// Ethernet1/1 group 3 reserved: 9 cells, planned 6 cells
	// put right: 1 registers sent: applied
}
