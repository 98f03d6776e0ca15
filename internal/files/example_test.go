package files_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cellwarden/cellwarden/internal/files"
)

// A topology names a chip file beside it, and a key elsewhere. The output does not replace the topology.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	here := filepath.Join(dir, "here")
	if err := os.MkdirAll(filepath.Join(here, "chips"), 0o777); err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"key.pem", "here/leaf.yaml", "here/chips/asic.yaml"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	if err := os.Chdir(here); err != nil {
		log.Fatal(err)
	}

	ctx, force := context.Background(), false
	set := files.New()
	data, err := set.Read(ctx, "leaf.yaml")
	fmt.Println(string(data), err)
	open := set.In(ctx, ".")
	chip, err := open("chips/asic.yaml")
	fmt.Println(string(chip), err)
	_, err = open("../key.pem")
	fmt.Println(err)

	_, err = set.Create("leaf.yaml", true)
	fmt.Println(err)
	trace, err := set.Create("trace.csv", force)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(trace, "time,event")
	err = set.Commit()
	fmt.Println(err)
	_, err = set.Create("trace.csv", force)
	fmt.Println(err)
	// Output:
	// here/leaf.yaml <nil>
	// here/chips/asic.yaml <nil>
	// ../key.pem: outside of the folder .
	// leaf.yaml: used twice: it is an input of this command: want another file
	// <nil>
	// trace.csv: it exists already: want a new file, or --force
}
