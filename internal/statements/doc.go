// Package statements reads the texts in which switches print their configuration, as trees of statements with their
// lines. Three grammars are common: blocks by indentation (NX-OS, EOS), braces with semicolons or the same as "set"
// commands (Junos), and JSON (FBOSS, and what a NETCONF or gNMI client has stored). What a statement means is not known
// here:
//
//	tree, err := statements.Indented("leaf1.cfg", data)
//	if err != nil {
//		return err // not within the bounds, or not text
//	}
//	for _, s := range tree.Root.Under {
//		fmt.Println(s.Line, s.Words)
//	}
//
// A reader marks each statement that it understands. [Tree.Count] then says how many were read, how many belong to the
// reader's subject and were not understood, and how many are about something else. So no statement is lost without a
// word.
//
// Every reader is bounded in bytes, statements and depth. The packages beside this one, one for each system, know what
// the statements mean.
package statements
