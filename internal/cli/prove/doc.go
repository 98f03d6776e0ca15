// Package prove has the verbs that prove a plan in simulation or find the numbers of a chip: verify, sim, probe,
// calibrate and risk.
package prove
