package internal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli/target"
)

// FuzzTargetPasswords reads any password file. An error repeats nothing of it.
func FuzzTargetPasswords(f *testing.F) {
	for _, text := range []string{"admin:secret\n", "# no one\n\nmonitor:a:b", "secret", "a:x\na:y\n", ":", "\r\n",
		"a:\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		users, err := target.ParsePasswords("passwords.txt", text)
		if err != nil {
			require.Regexp(t, `^--password-list: line \d+ of passwords.txt \(want `, err.Error())
			return
		}
		for name, password := range users {
			require.Contains(t, text, name+":"+password)
			require.False(t, strings.HasPrefix(name, "#"))
		}
	})
}
