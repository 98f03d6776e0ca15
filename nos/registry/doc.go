// Package registry tells which system a configuration is of, and reads it with the reader of that system:
//
//	name, err := registry.Of(data)
//	if err != nil {
//		return err // of no system that has a reader, or of more than one
//	}
//	reading, err := registry.Read(name, "leaf1.cfg", data, audit.Chip{})
//
// SONiC's CONFIG_DB is known too, and is read by internal/configdb. What a text is, is known by statements that one system
// alone has. A text without any of them, and one with statements of several, is an error that says what was found.
package registry
