// Package ordered does work in parallel and hands out the results in the order of the work. What is in memory at a time
// is bounded by the number of workers, however long the work is.
//
//	err := ordered.Do(ctx, 2, next, square, emit)
//
// next is called by one goroutine, square by the workers, emit by the caller's.
package ordered

import (
	"context"
	"sync"
)

// ahead is how many pieces of work may be done or under way for each worker, before the first of them is handed out.
const ahead = 4

// Do calls work for every piece that next returns, with all workers at a time, and emit for every result, in the
// order of the pieces. It stops at the first error of emit, when next returns false, and when the context ends; it
// returns when no worker is at work. The error is that of emit or of the context.
func Do[In, Out any](ctx context.Context, workers int, next func() (In, bool), work func(In) Out,
	emit func(Out) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type piece struct {
		in   In
		done chan Out
	}
	todo := make(chan piece)
	order := make(chan chan Out, max(1, workers)*ahead)
	var all sync.WaitGroup
	all.Go(func() {
		defer close(todo)
		defer close(order)
		for ctx.Err() == nil {
			in, more := next()
			if !more {
				return
			}
			p := piece{in, make(chan Out, 1)}
			select {
			case order <- p.done:
			case <-ctx.Done():
				return
			}
			select {
			case todo <- p:
			case <-ctx.Done():
				close(p.done)
				return
			}
		}
	})
	for range max(1, workers) {
		all.Go(func() {
			for p := range todo {
				p.done <- work(p.in)
			}
		})
	}
	err := hand(ctx, order, emit)
	stop()
	for range order { // let the reader of the work go on, so that it notices the end
	}
	all.Wait()
	return err
}

// hand emits the results in their order.
func hand[Out any](ctx context.Context, order <-chan chan Out, emit func(Out) error) error {
	for done := range order {
		select {
		case out, ok := <-done:
			if !ok {
				return ctx.Err()
			}
			if err := emit(out); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}
