package main

func Example() {
	main()
	// Output:
	// pushed: [applied unknown applied]
	// resumed: applied
	// switch 1: 0 of 10 registers differ
	// switch 2: 0 of 10 registers differ
	// switch 3: 1 of 10 registers differ
	//   Ethernet1/1 group 3 reserved: 9 cells, planned 6 cells
}
