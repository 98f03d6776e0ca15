// Package ecn answers what dynamic thresholds and ECN marking do together: does a
// queue mark before the priority group that feeds it pauses, where does DCQCN
// settle, and how do groups share a pool, at rest and in a burst.
//
//	ecn.go         marking thresholds, and the check of ECN before PFC
//	dcqcn.go       the fixed point and the stability of DCQCN
//	sharing.go     groups under one dynamic threshold (Choudhury and Hahne)
//	transient.go   a burst against groups that hold cells already
//
// All of it is closed forms and one numerical solution of the fluid model; the
// simulator in backend/sim/fabric runs the packets.
package ecn
