// Package dial reads the flags of a connection to a switch, opens it, and adds to an error of a connection the flag
// that can help. The file of targets, for verbs that speak to many switches, is here too.
package dial
