package device

import (
	"context"
	"fmt"
	"github.com/cellwarden/cellwarden/audit/hwsku"
	"os"
	"testing"
	"time"
)

func TestScratch(t *testing.T) {
	p := os.Getenv("P")
	if p == "" {
		t.Skip()
	}
	tree, below, err := hwsku.Open(p)
	if err != nil {
		t.Fatal(err)
	}
	fs, _, err := tree.Folders(context.Background(), below)
	if err != nil {
		t.Fatal(err)
	}
	st := time.Now()
	n := 0
	conf := 0
	for r, err := range Audit(context.Background(), tree, fs, Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		conf += len(r.Configurations)
		for _, x := range r.Findings {
			n++
			fmt.Printf("F\t%s\t%s\t%v\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", x.Severity, x.Code, x.Certain, x.File, x.Line, x.Topology, x.Object, x.Message, r.Folder.Path, r.Chip.Name)
		}
		for _, c := range r.Configurations {
			if c.Result.Bill != nil && false {
				fmt.Println("B", r.Folder.Path, c.Variant, c.Result.Bill.Plan.Fits)
			}
		}
	}
	fmt.Println("T", len(fs), conf, n, time.Since(st))
}
