package ecn_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
)

func decimal(f thresholds.Fraction) float64 { return float64(f.Num) / float64(f.Den) }

func TestTransient(t *testing.T) {
	var file struct {
		Cases []struct {
			Alpha    thresholds.Alpha `json:"dynamic_th"`
			Pool     cells.Count      `json:"pool_cells"`
			Old, New int
			Arrival  int64
			Time     *float64
			Queue    float64
			Early    bool
		}
	}
	theory(t, "transient.json", &file)
	require.Len(t, file.Cases, 7)
	for _, c := range file.Cases {
		b := ecn.Burst{Pool: c.Pool, Alpha: c.Alpha, Old: c.Old, New: c.New,
			Arrival: thresholds.Fraction{Num: c.Arrival, Den: 1}}
		got, err := b.Transient()
		require.NoError(t, err)
		require.Equal(t, c.Early, got.Early, "alpha %v", c.Alpha)
		if c.Time == nil { // stated to five digits
			require.InDelta(t, c.Queue, decimal(got.Queue), 5e-5)
			continue
		}
		require.InEpsilon(t, *c.Time, decimal(got.Time), 1e-14, "alpha %v", c.Alpha)
		require.InEpsilon(t, c.Queue, decimal(got.Queue), 1e-14, "alpha %v", c.Alpha)
		require.False(t, got.Fair.Less(got.Queue), "never above the fair share")
		require.Equal(t, !c.Early, got.Fair == got.Queue)
	}
}

// The exact solution against the model, integrated in small steps.
func TestTransientIsTheModel(t *testing.T) {
	for _, b := range []ecn.Burst{
		{Pool: 1000, Alpha: 0, Old: 1, New: 1, Arrival: thresholds.Fraction{Num: 10, Den: 1}},
		{Pool: 1000, Alpha: -3, Old: 4, New: 3, Arrival: thresholds.Fraction{Num: 3, Den: 2}},
		{Pool: 1000, Alpha: 3, Old: 2, New: 5, Arrival: thresholds.Fraction{Num: 5, Den: 4}},
		{Pool: 1000, Alpha: -10, Old: 0, New: 1, Arrival: thresholds.Fraction{Num: 4096, Den: 4095}},
	} {
		want, err := b.Transient()
		require.NoError(t, err)
		require.InEpsilon(t, decimal(want.Queue), integrate(b, decimal(want.Time)/20000), 2e-3, "%+v", b)
	}
}

func integrate(b ecn.Burst, h float64) float64 {
	alpha, _ := power(b.Alpha).Float64()
	n, m := float64(b.Old), float64(b.New)
	grow := decimal(b.Arrival) - 1
	old := alpha * float64(b.Pool) / (1 + alpha*n)
	var q float64
	for {
		limit := alpha * (float64(b.Pool) - n*old - m*q)
		if q >= limit {
			return q
		}
		q += h * grow
		if old > limit { // it drains at 1, but not under its threshold
			old = max(old-h, limit)
		}
	}
}

func TestBurstRefusals(t *testing.T) {
	_, err := ecn.Burst{}.Transient()
	require.ErrorContains(t, err, "pool of 0 cells")
	require.ErrorContains(t, err, "0 old and 0 new queues")
	require.ErrorContains(t, err, "arrival at 0 times the port's rate (accepted: above 1")
	widest := ecn.Burst{Pool: ecn.MaxSharedCells, Alpha: 10, Old: 4096, New: 4096,
		Arrival: thresholds.Fraction{Num: 4096, Den: 1}}
	got, err := widest.Transient()
	require.NoError(t, err)
	require.Positive(t, got.Time.Num)
	require.Positive(t, got.Queue.Num)
	require.True(t, got.Queue.Less(got.Fair))
}

func ExampleBurst() {
	b := ecn.Burst{Pool: 100, Old: 1, New: 1, Arrival: thresholds.Fraction{Num: 10, Den: 1}}
	got, _ := b.Transient()
	fmt.Println("early:", got.Early, "at", got.Time, "with", got.Queue, "cells of a fair", got.Fair)
	// Output: early: true at 50/17 with 450/17 cells of a fair 100/3
}

// power returns the alpha as a number.
func power(a thresholds.Alpha) *big.Rat {
	if a < 0 {
		return big.NewRat(1, 1<<-a)
	}
	return big.NewRat(1<<a, 1)
}
