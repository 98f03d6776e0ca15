package cli

import (
	"io"
	"os"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// This file knows where a report is printed: how wide it is, and whether it shows colours.

// plainWidth is the width of what is printed elsewhere than on a terminal, in columns. A pipe has the lines of a
// screen, so that the two are compared easily. Reports in documents and tests have it, too, and it fits beside
// another window.
const plainWidth = 100

// The widths of a screen that are accepted, in columns. Below the least nothing is readable.
const (
	leastWidth = 40
	mostWidth  = 10000
)

// colors are the values of --color. The first is the default.
var colors = []string{"auto", "always", "never"}

// RegisterColor adds --color to the root.
func RegisterColor(root *cobra.Command) {
	root.PersistentFlags().Var(&typed[string]{new(string), colors[0], "when", oneOf(colors)}, "color", "when to colour "+
		"what is printed: auto, always, never; auto: on a terminal, unless NO_COLOR is set")
	_ = root.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(colors, cobra.ShellCompDirectiveNoFileComp))
}

// surface is where a report is printed.
type surface struct {
	width  int  // in columns; 0: without a bound
	colour bool // it shows colours
}

// surfaceOf finds out where a command prints. COLUMNS is more than the size of the terminal, as for other programs.
// of may be nil, for help before the flags were read: colours are then as for auto. NO_COLOR is that of no-color.org,
// and a TERM of "dumb" shows no escapes.
func surfaceOf(w io.Writer, of *cobra.Command) surface {
	s, terminal := surface{width: plainWidth}, false
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		terminal = true
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			s.width = max(width, leastWidth)
		}
	}
	// A value that is no number above 0 is passed over.
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		s.width = min(max(n, leastWidth), mostWidth)
	}
	switch colorOf(of) {
	case "always":
		s.colour = true
	case "auto":
		s.colour = terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return s
}

// colorOf returns the value of --color of a command; auto for one without.
func colorOf(of *cobra.Command) string {
	if of != nil {
		if f := of.Flags().Lookup("color"); f != nil {
			return f.Value.String()
		}
	}
	return colors[0]
}

// Mood says what a verdict means to its reader. It decides the colour of the first line.
type Mood int

// The moods.
const (
	NoMood Mood = iota // no verdict
	Good               // what was checked holds
	Warn               // it holds on a condition, or with warnings
	Bad                // it does not hold
)

// MoodOf is the mood of a verdict that holds or not.
func MoodOf(holds bool) Mood {
	if holds {
		return Good
	}
	return Bad
}

// escapes are the styles of a terminal: that of a verdict by its mood. ANSI's first eight colours are legible on light
// and on dark screens, because the terminal's owner chooses them.
var escapes = map[Mood]text.Colors{
	NoMood: {text.Bold},
	Good:   {text.Bold, text.FgGreen},
	Warn:   {text.Bold, text.FgYellow},
	Bad:    {text.Bold, text.FgRed},
}

// paint gives a line the style of a mood, if the surface shows colours. An empty line stays empty, because a style
// without a text would still be bytes in it.
func (s surface) paint(m Mood, line string) string {
	if !s.colour || line == "" {
		return line
	}
	// Colors.Sprint asks the environment, which --color overrides.
	return escapes[m].EscapeSeq() + line + text.Reset.EscapeSeq()
}
