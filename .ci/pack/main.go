// Command pack writes two parts of a release: the contents of a program as CycloneDX, and an image of the Linux
// programs as an OCI layout in a tar. It has a module of its own, so that the registry library is no dependency of
// cellwarden. Both depend on their arguments and files alone, so that two runs give the same bytes.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "sbom":
		return sbom(args[1], args[2])
	case len(args) == 5 && args[0] == "oci":
		seconds, err := strconv.ParseInt(args[3], 10, 64)
		if err != nil {
			return fmt.Errorf("seconds %q: want a number", args[3])
		}
		return image(args[1], args[2], time.Unix(seconds, 0).UTC(), args[4])
	}
	return fmt.Errorf("arguments %q: want sbom PROGRAM FILE, or oci FOLDER VERSION SECONDS FILE", args)
}
