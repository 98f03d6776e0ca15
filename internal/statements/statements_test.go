package statements_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/statements"
)

// Example reads a block of NX-OS and prints the statements of its first level.
func Example() {
	list := func(data []byte) error {
		tree, err := statements.Indented("leaf1.cfg", data)
		if err != nil {
			return err // not within the bounds, or not text
		}
		for _, s := range tree.Root.Under {
			fmt.Println(s.Line, s.Words)
		}
		return nil
	}
	if err := list([]byte("system qos\n  service-policy type network-qos roce\nhostname leaf1\n")); err != nil {
		panic(err)
	}
	// Output:
	// 1 [system qos]
	// 3 [hostname leaf1]
}

// printed prints a tree on one line.
func printed(s *statements.Statement) string {
	var parts []string
	for _, u := range s.Under {
		text := fmt.Sprintf("%d:%s", u.Line, u.Text())
		if u.Inactive {
			text = "-" + text
		}
		if len(u.Under) > 0 {
			text += "(" + printed(u) + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

// TestIndented reads blocks by their indentation. Remarks and banners are no statements.
func TestIndented(t *testing.T) {
	tree, err := statements.Indented("f", []byte("!Command: show\na\n  b \"c d\"\n    e\n  f\nbanner motd ^C\n"+
		"policy-map x\n^C\ng\nbanner login\nclass y\nEOF\n\th\n"))
	require.NoError(t, err)
	require.Equal(t, "2:a(3:b c d(4:e) 5:f) 6:banner motd ^C 9:g 10:banner login(13:h)", printed(tree.Root))
	require.Equal(t, []string{"b", "c d"}, tree.Root.Under[0].Under[0].Words)
	require.Equal(t, []statements.Text{{1, "Command: show"}}, tree.Remarks)
}

// The same configuration of Junos in its three forms.
const (
	braces = `## Last commit
class-of-service { /* pools */
    forwarding-classes {
        class NO-LOSS queue-num 4 no-loss;
        inactive: class "A B" queue-num 1;
    }
    classifiers { dscp d { forwarding-class NO-LOSS { loss-priority low code-points [ 011010 011011 ]; } } }
}
`
	commands = `set class-of-service forwarding-classes class NO-LOSS queue-num 4 no-loss
set class-of-service forwarding-classes class "A B" queue-num 1
deactivate class-of-service forwarding-classes class "A B" queue-num 1
set class-of-service classifiers dscp d forwarding-class NO-LOSS loss-priority low code-points 011010
set class-of-service classifiers dscp d forwarding-class NO-LOSS loss-priority low code-points 011011
`
	document = `{"junos:class-of-service": {
 "forwarding-classes": {"class": [{"queue-num": 4, "name": "NO-LOSS"}]},
 "classifiers": {"dscp": [{"name": "d", "forwarding-class": [{"name": "NO-LOSS",
  "loss-priority": [{"name": "low", "code-points": ["011010", "011011"]}]}]}]}}}`
)

// TestHierarchy reads the three forms as one tree.
func TestHierarchy(t *testing.T) {
	tree, err := statements.Braces("f", []byte(braces))
	require.NoError(t, err)
	require.Equal(t, "2:class-of-service(3:forwarding-classes(4:class(4:NO-LOSS(4:queue-num(4:4(4:no-loss))) "+
		"5:A B(5:queue-num(-5:1)))) 7:classifiers(7:dscp(7:d(7:forwarding-class(7:NO-LOSS(7:loss-priority(7:low("+
		"7:code-points(7:011010 7:011011)))))))))", printed(tree.Root))
	tree, err = statements.Set("f", []byte(commands))
	require.NoError(t, err)
	require.Equal(t, "1:class-of-service(1:forwarding-classes(1:class(1:NO-LOSS(1:queue-num(1:4(1:no-loss))) "+
		"2:A B(2:queue-num(-2:1)))) 4:classifiers(4:dscp(4:d(4:forwarding-class(4:NO-LOSS(4:loss-priority(4:low("+
		"4:code-points(4:011010 5:011011)))))))))", printed(tree.Root))
	tree, err = statements.JSON("f", []byte(document))
	require.NoError(t, err)
	tree, err = statements.Hierarchy(tree)
	require.NoError(t, err)
	require.Equal(t,
		"1:class-of-service(2:forwarding-classes(2:class(2:NO-LOSS(2:queue-num(2:4)))) 3:classifiers(3:dscp("+
			"3:d(3:forwarding-class(3:NO-LOSS(4:loss-priority(4:low(4:code-points(4:011010 4:011011)))))))))",
		printed(tree.Root))
}

// TestRefusals says where a text is none of the grammar, and what is accepted.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		read func(string, []byte) (*statements.Tree, error)
		text string
		want string
	}{
		{statements.Braces, "a {\n", "f:2: the text ends before its last bracket"},
		{statements.Braces, "a;\n}\n", "f:2: a bracket } that nothing opens"},
		{statements.Braces, "a {\nb }\n", "f:2: a bracket } that nothing opens, or a statement without ; before it"},
		{statements.Braces, "a \"b;\n", `f:1: a text in " without its end`},
		{statements.Braces, "/* a", "f:1: a remark /* without */"},
		{statements.Braces, "/*/ a;", "f:1: a remark /* without */"},
		{statements.Braces, "a [ b;\n", "f:1: a list without its last bracket"},
		{statements.Braces, "later: a;\n", `f:1: a mark "later:"`},
		{statements.Braces, strings.Repeat("a {", 50), "f:1: blocks nested more than 40 deep"},
		{statements.Set, "set a\nremove b\n", `f:2: a command "remove": want set, deactivate, activate`},
		{statements.Set, "deactivate a\n", "f:1: deactivate of a statement that no command before it sets"},
		{statements.Set, "set\n", "f:1: no command"},
		{statements.Set, "set" + strings.Repeat(" a", statements.MaxWords) + "\n",
			"f:1: a statement of more than 4096 words"},
		{statements.Indented, "a\x00b", "f: not text: want a configuration in UTF-8"},
		{statements.Indented, strings.Repeat("a\n", statements.MaxStatements+1),
			"f:262145: more than 262144 statements"},
		{statements.Indented, strings.Repeat("a ", statements.MaxWords+1), "f:1: a statement of 4097 words"},
		{statements.Indented, strings.Repeat("a", statements.MaxWord+1), "f:1: a word of 65537 bytes"},
		{statements.Indented, strings.Repeat("!", statements.MaxBytes+1),
			"f: 16777217 bytes: want at most 16777216"},
		{statements.JSON, `{"a": ` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + "}",
			"f:1: objects and lists nested more than 40 deep"},
		{statements.JSON, "{\"a\": 1,\n\"b\" 2}", "f:2: no JSON: invalid character '2' after object key"},
		{statements.JSON, `{"a": {"` + strings.Repeat("k", statements.MaxKey+1) + `": 1}}`, "f:1: a key of 1025 bytes"},
		{statements.JSON, "{\n}\nx", "f:3: no JSON: invalid character 'x' after top-level value"},
	} {
		_, err := c.read("f", []byte(c.text))
		require.ErrorContains(t, err, c.want)
		require.ErrorContains(t, err, "want")
	}
}

// TestCount counts what was read, what was not understood, and what is about something else. A block of which nothing
// was understood is one statement.
func TestCount(t *testing.T) {
	tree, err := statements.Indented("f", []byte("qos a\n  b\n  c\nqos d\n  e\n  f\nhostname x\nbgp\n  y\n  z\n"))
	require.NoError(t, err)
	a := tree.Root.Find("qos") // the last one: d
	a.Find("e")
	c := tree.Count(func(path []*statements.Statement) bool { return path[0].Word(0) == "qos" })
	require.Equal(t, 1, c.Read)
	require.Equal(t, []statements.Text{{1, "qos a"}, {6, "qos d f"}}, c.Unread)
	require.Equal(t, 3, c.Other)
}

// FuzzTrees reads any bytes in all grammars: every reader ends, an error is one line, and every statement has a line.
func FuzzTrees(f *testing.F) {
	for _, text := range []string{braces, commands, document, "a\n  b\n!c\nbanner motd x\ny\nx\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func(string, []byte) (*statements.Tree, error){statements.Indented, statements.Braces,
			statements.Set, statements.JSON} {
			tree, err := read("f", data)
			if err != nil {
				require.NotContains(t, err.Error(), "\n")
				continue
			}
			for _, s := range tree.Root.Under {
				require.Positive(t, s.Line)
			}
			tree.Count(func([]*statements.Statement) bool { return true })
			if other, err := statements.Hierarchy(tree); err == nil {
				require.NotNil(t, other.Root)
			}
		}
	})
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string][]int{
		"3,5-6": {3, 5, 6}, " 3 , 63": {3, 63}, "64": nil, "62-64": nil, "6-5": nil, "": nil, "ef,1": {1}, "-1": nil,
		"1-": nil, "0-0,0": {0, 0}, "18446744073709551616": nil,
	} {
		require.Equal(t, want, statements.Numbers(text), text)
	}
}

// TestCursor takes words in their order. A statement is understood if all words are.
func TestCursor(t *testing.T) {
	tree, err := statements.Indented("f", []byte("a b 3 c\na b 3 c d\na b\n"))
	require.NoError(t, err)
	var ends []bool
	for _, s := range tree.Root.Under {
		c := s.After(1)
		require.True(t, c.Take("b"))
		require.False(t, c.Take("3", "d"), "and it stays")
		number := c.Next()
		require.Equal(t, s.Word(2), number)
		require.Equal(t, s.Word(3), c.Any("c", "e"))
		ends = append(ends, c.End())
	}
	require.Equal(t, []bool{true, false, false}, ends, "a word is left, a word is missing")
	require.Equal(t, []string{"c", "d"}, tree.Root.Under[1].After(3).Rest())
	counts := tree.Count(func([]*statements.Statement) bool { return true })
	require.Equal(t, []int{1, 1, 2}, []int{counts.Read, counts.Subject, len(counts.Unread)})
}

// TestPrompts leaves out what a terminal of Junos prints around a configuration.
func TestPrompts(t *testing.T) {
	const around = "{master:0}\nadmin@leaf1> show configuration | no-more\n%s\n{master:0}[edit]\nadmin@leaf1#\n"
	tree, err := statements.Braces("f", fmt.Appendf(nil, around, "a { b; }"))
	require.NoError(t, err)
	require.Equal(t, "3:a(3:b)", printed(tree.Root))
	tree, err = statements.Set("f", fmt.Appendf(nil, around, "set a b"))
	require.NoError(t, err)
	require.Equal(t, "3:a(3:b)", printed(tree.Root))
	require.True(t, statements.IsPrompt("show configuration | display set | no-more"))
	require.False(t, statements.IsPrompt("show configuration;"))
	require.False(t, statements.IsPrompt(`    announcement "admin@leaf1> hello";`))
	require.False(t, statements.IsPrompt("{ a; }"))
}

// TestRegroup puts the statements of a text without indentation into their modes. Where the indentation is there, nothing
// is moved.
func TestRegroup(t *testing.T) {
	opens := func(s *statements.Statement) bool { return s.Begins("a") || s.Begins("b") || s.Begins("z") }
	within := func(mode, s *statements.Statement, flat bool) bool {
		return flat && (mode.Begins("a") && s.Begins("b") || mode.Begins("b") && s.Begins("c"))
	}
	for text, want := range map[string]string{
		"a 1\nb\nc\nc\nb\nx\nb\nz\nb\n": "1:a 1(2:b(3:c 4:c) 5:b 7:b) 6:x 8:z 9:b",
		"a 1\n  b\n    c\na 2\nb\n":     "1:a 1(2:b(3:c)) 4:a 2 5:b",
		"a 1\n  b\n  c\n  b\n":          "1:a 1(2:b(3:c) 4:b)",
	} {
		tree, err := statements.Indented("f", []byte(text))
		require.NoError(t, err)
		statements.Regroup(tree.Root, opens, within)
		require.Equal(t, want, printed(tree.Root))
	}
}

// TestInterfaces reads the names of ports as people and switches write them.
func TestInterfaces(t *testing.T) {
	for text, want := range map[string]string{
		"Ethernet1/1": "Ethernet1/1", "eth1/1": "Ethernet1/1", "e1/1": "Ethernet1/1", "Ethernet 1/1": "Ethernet1/1",
		"Et1": "Ethernet1", "Ethernet49/1": "Ethernet49/1", "ethernet1/1-3": "Ethernet1/1 Ethernet1/2 Ethernet1/3",
		"eth1/1-1/2": "Ethernet1/1 Ethernet1/2", "eth1/1, eth1/3-4": "Ethernet1/1 Ethernet1/3 Ethernet1/4",
		"eth1/1,1/3": "Ethernet1/1 Ethernet1/3", "port-channel10": "port-channel10", "Po10": "port-channel10",
		"Port-Channel5": "port-channel5", "Ethernet1/1.100": "", "mgmt0": "", "loopback0": "", "vlan10": "", "": "",
		"Management1": "", "Ethernet1/4-1": "", "Ethernet1/1-9999999": "", "1/1": "", "Ethernet": "", "eth1/x": "",
		"Ethernet1//1": "", "Ethernet1-4,po1": "Ethernet1 Ethernet2 Ethernet3 Ethernet4 port-channel1",
	} {
		require.Equal(t, want, strings.Join(statements.Interfaces(strings.Fields(text)), " "), text)
	}
}

func TestCodes(t *testing.T) {
	out, bad, want := statements.Codes("dscp", []string{"24,26-27", "AF41", "ef", "99", "foo", "62-64"}, 63)
	require.Equal(t, []int{24, 26, 27, 34, 46}, out)
	require.Equal(t, []string{"99", "foo", "62-64"}, bad)
	require.Equal(t, "numbers from 0 to 63, or names such as af31", want)
	out, bad, want = statements.Codes("cos", []string{"3", "af31", "8"}, 7)
	require.Equal(t, []int{3}, out)
	require.Equal(t, []string{"af31", "8"}, bad)
	require.Equal(t, "numbers from 0 to 7", want)
	_, bad, _ = statements.Codes("precedence", nil, 7)
	require.Equal(t, []string{""}, bad, "none is none too")
	out, _, _ = statements.Codes("precedence", []string{"critical"}, 7)
	require.Equal(t, []int{5}, out)
}
