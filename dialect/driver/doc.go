// Package driver has the answers with which the software beneath a network
// operating system refuses a plan that does not fit: the status of the Switch
// Abstraction Interface (sai.go), Linux's mlxsw driver (mlxsw.go) and Broadcom's
// check of a pool (broadcom.go).
//
// Statuses that other programs look for are word for word. The rest of each text
// is cellwarden's. Messages of network operating systems stand in packages nxos
// and sonic.
package driver
