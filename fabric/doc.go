// Package fabric reads the file of a fabric: its hosts, switches, cables and routes. It answers the question that no
// switch answers alone: whether pauses of lossless traffic can lock.
//
//	f, err := fabric.Read("ring.yaml", data)
//	d, err := f.Deadlock(ctx)
//	fmt.Println(d.Verdict) // no-cycle, or can-lock
//
// A switch that is paused fills, pauses those that send to it, and so on back along the routes. If the routes let this
// go round in a circle, each switch of the circle can wait for the next for ever. The answer lists the channels of such
// a circle and the routes that make it, or proves that there is none: see [File.Deadlock].
//
// docs/fabric.md describes the file.
package fabric
