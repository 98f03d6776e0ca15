package main

import "os"

// The output is part of the comparison.
func Example() {
	if err := compare(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	//           64 credits     32 frames + 32 headroom     enough        enough headroom
	//    km   Mb/s    held          Mb/s    lost          credits        frames    Mb/s
	//     0  19997      64         19997       0                2            33   19997
	//     1  19988      52         19988       0               14            45   19988
	//     2  19978      41         19978       0               25            56   19978
	//     5  19949      33         16868    1728               60            91   17260
	//    10  10921      33         14204    3276              117           148   15432
	//    20   5510      33         12400    4400              233           264   14565
	//    40   2775      33         11360    5102              463           494   13680
}
