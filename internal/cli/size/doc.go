// Package size has the verbs that size one link or one queue: headroom, with its tables (--fit) and replay buffers
// (--llr), and ecn. The incasts of capacity --burst are here too.
package size
