// Package dial reads the flags of a connection to a switch, opens it, and adds to an error of a connection the flag
// that can help. The file of targets, for verbs that speak to many switches, is here too.
//
// A verb registers the flags (dial.go), which are checked and turned into options of package gnmi, together with the
// certificates and the password (credentials.go). It then opens a client, which sends nothing by itself. An error of
// the first request gets a hint by its code and its text (advice.go): gRPC calls everything that is wrong with a
// connection "unavailable", and a user has to be told which flag to try.
//
// With --targets the same happens for each line of a file (targets.go): each topology is planned once, --parallel
// switches are worked on at a time, and the exit code is the worst of theirs.
package dial
