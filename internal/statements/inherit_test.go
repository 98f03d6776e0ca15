package statements_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// TestInherit writes out groups: what a statement has stays, an inner group and an earlier one come first, wildcards
// give to what is there, and a statement can except itself.
func TestInherit(t *testing.T) {
	tree, err := statements.Braces("f", []byte(`groups {
    A { ifs { <et-*> { mtu 9; } <xe-[0-1]> { mtu 8; } lo { up; } } }
    B { ifs { <*> { mtu 7; speed 4; } } }
    C { ifs { <*> { mtu 1; } } }
    inactive: D { x; }
}
apply-groups [ A B missing D ];
ifs {
    et-0/0/1 { }
    et-2 { mtu 5; apply-groups-except B; }
    xe-0 { apply-groups C; }
    xe-9 { }
}
`))
	require.NoError(t, err)
	missing, err := tree.Inherit(tree.Root)
	require.NoError(t, err)
	require.Equal(t, []statements.Text{{7, "missing"}, {7, "D"}}, missing)
	ifs := tree.Root.Find("ifs")
	for name, want := range map[string]string{"et-0/0/1": "mtu(9,7) speed(4)", "et-2": "mtu(5,9)",
		"xe-0": "mtu(1,8,7) speed(4)",
		"xe-9": "mtu(7) speed(4)", "lo": "up() mtu(7) speed(4)"} {
		var got []string
		for _, s := range ifs.Find(name).Under {
			if strings.HasPrefix(s.Word(0), "apply-groups") {
				continue
			}
			var under []string
			for _, u := range s.Under {
				under = append(under, u.Word(0))
			}
			got = append(got, fmt.Sprintf("%s(%s)", s.Word(0), strings.Join(under, ",")))
		}
		require.Equal(t, want, strings.Join(got, " "), name)
	}
	require.False(t, ifs.Find("et-2").Find("mtu").Under[0].Inherited())
	require.True(t, ifs.Find("et-2").Find("mtu").Under[1].Inherited())
}

// TestInheritedCounts counts a statement of a group once: it is understood if a copy is, or if nothing applies it.
func TestInheritedCounts(t *testing.T) {
	tree, err := statements.Set("f", []byte("set groups A ifs <*> mtu 9\nset groups A ifs <*> colour 1\n"+
		"set groups B x y\n"+
		"set apply-groups A\nset ifs a\nset ifs b\n"))
	require.NoError(t, err)
	_, err = tree.Inherit(tree.Root)
	require.NoError(t, err)
	for _, name := range []string{"a", "b"} {
		tree.Root.Path("ifs", name, "mtu", "9")
	}
	counts := tree.Count(func([]*statements.Statement) bool { return true })
	require.Equal(t, []statements.Text{{2, "groups A ifs <*> colour 1"}}, counts.Unread)
	require.Equal(t, 3, counts.Read, "mtu, group B, apply-groups")
}

// TestInheritIsBounded refuses groups that give more than a reader takes.
func TestInheritIsBounded(t *testing.T) {
	effort.SkipShort(t, "it takes millions of steps")
	var b strings.Builder
	for n := range 3000 {
		fmt.Fprintf(&b, "set groups A ifs <*> s%d\nset ifs i%d\n", n, n)
	}
	tree, err := statements.Set("f", []byte(b.String()+"set apply-groups A\n"))
	require.NoError(t, err)
	_, err = tree.Inherit(tree.Root)
	require.ErrorContains(t, err, "more than 262144 statements")
	b.Reset()
	for n := range 2000 {
		fmt.Fprintf(&b, "set groups A ifs <*%d> s\nset ifs i%d apply-groups A\n", n+100000, n)
	}
	tree, err = statements.Set("f", []byte(b.String()))
	require.NoError(t, err)
	_, err = tree.Inherit(tree.Root)
	require.ErrorContains(t, err, "takes more than 2000000 steps")
}

// TestMatches compares words with patterns.
func TestMatches(t *testing.T) {
	for _, m := range []struct {
		pattern, word string
		is            bool
	}{
		{"*", "", true}, {"et-*", "et-0/0/1:3", true}, {"et-*", "xe-0/0/1", false}, {"*:?", "et-0/0/1:3", true},
		{"et-0/0/[0-3]", "et-0/0/2", true}, {"et-0/0/[0-3]", "et-0/0/4", false}, {"et-0/0/[!0-3]", "et-0/0/4", true},
		{"x[1,5]", "x5", true}, {"x[1,5]", "x,", false}, {"a*b*c", "a1b2b3c", true}, {"a*b*c", "a1b2b3", false},
		{"a[", "a[", false},
		{"", "", true}, {"", "a", false}, {"[", "a", false},
	} {
		require.Equal(t, m.is, statements.Matches(m.pattern, m.word), m)
	}
}
