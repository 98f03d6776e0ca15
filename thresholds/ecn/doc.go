// Package ecn answers how dynamic thresholds and ECN marking work together: does a queue mark before the priority
// groups that feed it pause, at which rate and depth does DCQCN settle, and how do groups share a pool?
//
// The answers are closed forms, and one numerical solution of DCQCN's fluid
// model. Package backend/sim/fabric simulates the same with packets.
//
//   - marking.go: [Thresholds], the marking curve of a queue
//   - check.go: [Check], marking before pausing
//   - dcqcn.go, stability.go: [DCQCN], its fixed point and its stability
//   - sharing.go: [Sharing], groups under one dynamic threshold (Choudhury and
//     Hahne)
package ecn
