package identify_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/cellwarden/cellwarden/internal/identify"
	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/internal/rules/draw"
	"github.com/cellwarden/cellwarden/internal/testbed"
)

func TestTrace(t *testing.T) {
	var a, b uint64
	if _, err := fmt.Sscan(os.Getenv("TRACE"), &a, &b); err != nil {
		t.Skip()
	}
	coarse := os.Getenv("COARSE") != ""
	for seed := a; seed < b; seed++ {
		p := draw.Rules(seed)
		p.Numbers[rules.MostPackets], p.Numbers[rules.Queue] = 0, 0
		sw := play(t, testbed.Model{Config: p.Config(), LeakOut: p.Numbers[rules.Leak], Place: place(&p)})
		o := options(seed)
		o.Coarse = coarse
		configured(&o, &p, rand.New(rand.NewPCG(seed, 292)))
		if os.Getenv("NOISE") != "" {
			sw.noise = noisy(seed, 8, 2)
			o.Stray, o.Outliers = 8, 2
			o.Work *= 5
		}
		if coarse {
			o.Work *= 5
		}
		e := identify.New(o)
		var u, v syscall.Rusage
		syscall.Getrusage(0, &u)
		stop, err := e.Run(sw)
		syscall.Getrusage(0, &v)
		r := e.Result(stop)
		fmt.Printf("== %d %v %v %v truth %v rules %d cost %+v cpu %v\n  %v a=%d\n  %v\n", seed, stop, err, e.Spent_(), e.Remains(&p), len(r.Rules), r.Cost, time.Duration(v.Utime.Nano()-u.Utime.Nano()), p.Rule, p.Alpha, p.Numbers)
		if os.Getenv("V") == "" {
			continue
		}
		for i, s := range e.Sessions() {
			fmt.Printf("  s%d:", i)
			for _, x := range s {
				if x.Release {
					fmt.Printf(" R%d[", x.Dst)
					for _, q := range x.Paused {
						fmt.Printf("%v", map[bool]int{true: 1}[q.Is])
					}
					fmt.Printf("]")
					continue
				}
				fmt.Printf(" %d.%d>%d:%d/%d=%v", x.Port, x.PG, x.Dst, x.Packets, x.Length, x.Accepted.Hi)
				for _, q := range x.Paused {
					fmt.Printf("%v", map[bool]string{true: "P"}[q.Is])
				}
			}
			fmt.Println()
		}
	}
}
