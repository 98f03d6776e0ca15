package pcap_test

import (
	"errors"
	"fmt"
	"io"

	"github.com/cellwarden/cellwarden/internal/pcap"
	"github.com/cellwarden/cellwarden/unit"
)

// A capture of one packet is written, and read again.
func Example() {
	file := append(pcap.AppendRecord(pcap.Header(), 3*unit.Second, 2, 64), 0xca, 0xfe)
	r, err := pcap.NewReader(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for {
		packet, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		fmt.Printf("%x %v\n", packet, err)
	}
	// Output: cafe <nil>
}
