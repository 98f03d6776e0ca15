package document_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/unit"
)

// Rack is what the example's file describes.
type Rack struct {
	Name  string
	Units int
	Power unit.Percent
}

func readRack(file string, data []byte) (rack Rack, err error) {
	r := document.New(file)
	if root := r.Parse(data); root != nil {
		f := root.Fields("name", "units", "power")
		root.Need(f, "name", "units")
		rack.Name = f["name"].Text()
		rack.Units = int(f["units"].Integer(1, 48))
		rack.Power = document.Quantity(f["power"], unit.ParsePercent)
	}
	return rack, r.Err()
}

func Example() {
	fmt.Println(readRack("rack.yaml", []byte("name: r1\nunits: 42\npower: 20%\n")))
	_, err := readRack("rack.yaml", []byte("name: [r1]\nheight: 42\npower: 5\n"))
	fmt.Println(err)
	// Output:
	// {r1 42 20%} <nil>
	// rack.yaml:2: height: unknown key: want name, units, power
	// rack.yaml:1: units: missing: want this key
	// rack.yaml:1: name: a list: want text
	// rack.yaml:3: power: "5" is not a percentage: it has no unit (want %; for example 20%)
}
