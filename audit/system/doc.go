// Package system tells which system a configuration is of, and reads it with the reader of that system:
//
//	name, err := system.Of(data)
//	if err != nil {
//		return err // of no system that has a reader, or of more than one
//	}
//	reading, err := system.Read(name, "leaf1.cfg", data, audit.Chip{})
//
// SONiC's CONFIG_DB is known too, and is read by audit/configdb. What a text is, is known by statements that one system
// alone has. A text without any of them, and one with statements of several, is an error that says what was found.
package system
