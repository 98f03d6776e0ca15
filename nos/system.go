package nos

import "github.com/cellwarden/cellwarden/audit"

// System is a network operating system: how its configuration is recognised, read and written, and what its gNMI
// server takes. The folder of a system exports one, and package registry lists them. What a system does not do is nil.
type System struct {
	Name  string // on the command line, where it is also the dialect of render; in lower case
	Title string // in reports
	Marks Marks  // by which a configuration is recognised

	// Read reads a configuration. Chip is what the operator says of the chip; the zero Chip is known by what the
	// configuration says of itself. A configuration of another system is an error.
	Read func(file string, data []byte, chip audit.Chip) (*audit.Meaning, error)

	// Render writes a plan for an unknown switch.
	Render func(Plan) *Rendering

	// Tool is a tool that configures the system, for whose variables plans are rendered, too; nil: none.
	Tool *System

	// Profile makes what the gNMI server takes over OpenConfig, a new value at each call.
	Profile func() *Profile

	// Identity is where the native model names the product and the ports of a switch; nil: nowhere that is known.
	Identity *Identity
}

// Identity is where a native model names the product and the ports of a switch. Paths are of no origin.
type Identity struct {
	Product []Elem // of a text with the name of the product
	Ports   []Elem // of the names of ports
	List    string // whose entries the ports are; its key is name
}

// Marks are what the configurations of one system alone have.
type Marks struct {
	Members []string               // of JSON, with the quotation marks that enclose them
	Line    func(line string) bool // tells whether a line of text is of the system; nil: it has no text
	// Header tells whether a line is one of the first that the system prints before its configuration. It decides what
	// the text is, whatever the lines below are.
	Header func(line string) bool
	// Shared tells whether a line may be of the system, and of others too. It decides nothing: the reader of the text has
	// to be named.
	Shared func(line string) bool
}
