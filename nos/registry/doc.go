// Package registry lists the network operating systems that cellwarden knows, and finds the one of a configuration or
// of a gNMI server:
//
//	system, err := registry.Of(data)
//	if err != nil {
//		return err // of no system that has a reader, or of more than one
//	}
//	reading, err := system.Read("leaf1.cfg", data, audit.Chip{})
//
// What a text is, is known by statements that one system alone has. A text without any of them, and one with statements
// of several, is an error that says what was found. A gNMI server is known by the models that it lists: see
// FindProfile.
//
// A new system is a folder beneath nos and a line in the list of this package.
package registry
