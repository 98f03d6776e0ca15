package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// This file tests that what is printed fits a screen.

// widest returns the number of lines of a text, and the width of the widest that can be folded: a command that a reader
// copies, and a line of one word, cannot.
func widest(text string) (lines, width int) {
	for line := range strings.Lines(text) {
		lines++
		line = strings.TrimSuffix(line, "\n")
		if !strings.Contains(line, "cellwarden ") && strings.Contains(strings.TrimSpace(line), " ") {
			width = max(width, utf8.RuneCountInString(line))
		}
	}
	return lines, width
}

// The first screen of every example has 24 lines of 100 columns, whether the plan fits or not.
func TestFirstScreen(t *testing.T) {
	effort.Alone(t)
	t.Setenv("COLUMNS", "")
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "*.yaml"))
	require.NoError(t, err)
	screens := 0
	for _, file := range files {
		if strings.Contains(file, "fabric-") {
			continue // many switches
		}
		code, out, bad := cellwarden(t, "plan", file)
		if code == cli.ExitUsage { // a chip, or another verb's file
			require.NotEmpty(t, bad)
			continue
		}
		screens++
		lines, width := widest(out)
		require.LessOrEqual(t, lines, 24, out)
		require.LessOrEqual(t, width, 100, out)
		require.Regexp(t, `^(FITS|DOES NOT FIT)`, out)
		require.Regexp(t, `(?m)^(headroom|shared|free) +[0-9,]+ +[0-9,.]+ +[0-9.]+ %$`, out)
		require.Regexp(t, `(?m)^next +cellwarden `, out)
		if code == cli.ExitFine {
			require.Regexp(t, `(?m)^cable +.*up to`, out)
			require.Regexp(t, `(?m)^ports +.* more`, out)
		} else {
			require.Contains(t, out, "What would make it fit")
		}
		// Everything else is behind --all.
		require.NotContains(t, out, "Bill of cells")
		_, all, _ := cellwarden(t, "plan", "--all", file)
		require.Contains(t, all, "Bill of cells")
		require.Contains(t, all, "Slices, in cells")
	}
	require.Greater(t, screens, 10)
}

// The first screens of the other verbs have that size too, and say what --all prints beside them.
func TestFirstScreensOfOtherVerbs(t *testing.T) {
	effort.Alone(t)
	t.Setenv("COLUMNS", "")
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "*.yaml"))
	require.NoError(t, err)
	var runs [][]string
	for _, file := range files {
		if code, _, _ := cellwarden(t, "plan", file); code == cli.ExitUsage {
			continue
		}
		_, out, _ := cellwarden(t, "plan", file, "-o", "json")
		port := regexp.MustCompile(`"port": "(.*)"`).FindStringSubmatch(out)[1]
		if strings.Count(out, `"group": `) < 500 { // more of them take seconds
			runs = append(runs, []string{"verify", file})
		}
		runs = append(runs, []string{"verify", file, "--alone", "--frame", "1024B", "--cable", "3km"},
			[]string{"risk", file}, []string{"explain", file, port}, []string{"diff", file, "--set", "ports[0].cable=5m"},
			[]string{"diff", file, "--set", "chip=tomahawk5"}, []string{"diff", file, "--set", "classes[0].reserved=4608B"},
			[]string{"sweep", file, "--vary", "cable=5m..2km:40"}, []string{"capacity", file},
			[]string{"link", file + ":" + port, files[len(files)/2] + ":" + "Ethernet1"})
	}
	scenarios, err := filepath.Glob(filepath.Join("..", "..", "examples", "scenarios", "*.yaml"))
	require.NoError(t, err)
	for _, file := range scenarios[:len(scenarios)/2] {
		runs = append(runs, []string{"sim", file, "--until", "50us"})
	}
	screens := map[string]int{}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	first, end := effort.Seeds(uint64(len(runs)))
	for _, args := range runs[first:end] {
		code, out, bad := cellwarden(t, args...)
		if out == "" { // refused, or nothing was verified
			require.NotEmpty(t, bad, args)
			require.NotEqual(t, cli.ExitFine, code, args)
			continue
		}
		screens[args[0]]++
		lines, width := widest(out)
		require.LessOrEqual(t, lines, 24, "%v\n%s", args, out)
		require.LessOrEqual(t, width, 100, "%v\n%s", args, out)
		_, all, _ := cellwarden(t, append(args, "--all")...)
		if strings.Contains(out, "--all prints") {
			require.NotEqual(t, out, all, args)
			require.NotContains(t, all, "--all prints", args)
		} else if args[0] != "capacity" {
			require.Equal(t, all, out, args)
		}
	}
	for _, verb := range []string{"verify", "risk", "explain", "diff", "sweep", "capacity", "sim"} {
		require.True(t, screens[verb] > 0 || testing.Short(), verb)
	}
}

// --units means the same on every verb that has it: cells with MB and times beside them, one of them, or another unit.
func TestUnits(t *testing.T) {
	effort.Alone(t)
	t.Setenv("COLUMNS", "1000")
	leaf, incast := filepath.Join("..", "..", "examples", "leaf-400g.yaml"),
		filepath.Join("..", "..", "examples", "scenarios", "incast-absorbed.yaml")
	for _, c := range []struct {
		args                     []string
		both, cells, bytes, time string
	}{
		{[]string{"verify", leaf}, `400G 300m +3,341 +0.85 +16.97us +3,341 `, `400G 300m +3,341 +3,341 `,
			`400G 300m +848,614 +848,614 `, `400G 300m +16.97us +16.97us `},
		{[]string{"explain", leaf, "Ethernet52", "headroom"}, `rdma +3,341 cells, 0.85 MB, 16.97us at 400G `,
			`rdma +3341 cells .848614B. `, `rdma +848,614 bytes `, `rdma +16.97us at 400G `},
		{[]string{"diff", leaf, "--set", "ports[0].cable=20m"}, `headroom_cells +changed +1,585 +1,675 +\+90 +\+0.02$`,
			`headroom_cells +changed +1,585 +1,675 +\+90$`, `headroom_bytes +changed +402,590 +425,450 +\+22,860$`,
			`headroom_cells +changed +8.05us +8.50us +\+0.45us$`},
		{[]string{"asic", "show", "tomahawk"}, `^slice 0 +20,165 cells, 4.19 MB `, `^slice 0 +20,165 cells `,
			`^slice 0 +4,194,320 bytes `, `^100G +8.63us +10.78us `},
		{[]string{"sim", incast}, `^maximum shared cells +1,289 +0.27$`, `^maximum shared cells +1,289$`,
			`^maximum shared bytes +268,112$`, `^maximum shared cells +1,289$`},
		{[]string{"plan", leaf, "--compare"}, `worst +yes +3,341 +0.85 +129,536 +32.90 `, `worst +yes +3,341 +129,536 `,
			`worst +yes +848,614 +32,902,144 `, `worst +yes +3,341 +129,536 `},
		{[]string{"capacity", leaf, "--only", "pool", "--set", "pool.shared_headroom_ratio=2"},
			`^pool +[0-9,]+ cells, [0-9.]+ MB `, `^pool +[0-9,]+ cells  `, `^pool +[0-9,]+ bytes `, `^pool +[0-9,]+ cells  `},
		{[]string{"risk", leaf, "--set", "pool.shared_headroom_ratio=4"}, `^ +0 +16,192 +4.11 +64,768 `,
			`^ +0 +16,192 +64,768 `, `^ +0 +4,112,768 +16,451,072 `, `^ +0 +16,192 +64,768 `},
	} {
		of := map[string]string{"": c.both, "both": c.both, "cells": c.cells, "bytes": c.bytes, "us": c.time}
		for units, want := range of {
			args := c.args
			if units != "" {
				args = append(slices.Clone(args), "--units", units)
			}
			_, out, bad := cellwarden(t, args...)
			require.Regexp(t, "(?m)"+want, out, "%v%s", args, bad)
		}
		// Programs read cells, and one number in a column.
		_, given, bad := cellwarden(t, append(slices.Clone(c.args), "-o", "csv", "--units", "both")...)
		require.Empty(t, given)
		require.Contains(t, bad, `--units "both": of -o table alone (want cells, bytes, us)`)
		_, out, _ := cellwarden(t, append(slices.Clone(c.args), "-o", "md")...)
		require.NotContains(t, out, "| MB |")
	}
}

// Many entries, kinds, changes and long names still make one screen.
func TestFirstScreenOfMuch(t *testing.T) {
	t.Setenv("COLUMNS", "")
	var text strings.Builder
	text.WriteString("chip: tomahawk5\nheadroom: {method: ieee802.1qbb}\nclasses:\n" +
		"  - {name: a-class-with-a-rather-long-name, priorities: [3, 4], lossless: true}\nports:\n")
	for i := range 120 {
		fmt.Fprintf(&text, "  - {name: %s%d, speed: 100G, cable: %dm}\n", strings.Repeat("n", 50), i, 5+i)
	}
	file := filepath.Join(t.TempDir(), "much.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o666))
	for _, set := range [][]string{nil, {"--set", "ports[3].cable=400km"}, {"--set", "ports[0].cable=6m", "--set",
		"ports[1].cable=6m", "--set", "ports[2].cable=6m", "--set", "ports[3].cable=7m", "--set", "ports[4].cable=7m"}} {
		_, out, bad := cellwarden(t, append([]string{"plan", file}, set...)...)
		lines, width := widest(out)
		require.LessOrEqual(t, lines, 24, "%s%s", out, bad)
		require.LessOrEqual(t, width, 100, out)
	}
}

// Tables fit the screen: texts are folded at words, numbers stay whole, and the other formats are as they were.
func TestTablesFitTheScreen(t *testing.T) {
	effort.Alone(t)
	leaf := filepath.Join("..", "..", "examples", "leaf-400g.yaml")
	refused := filepath.Join("..", "..", "examples", "tomahawk4-three-lengths.yaml")
	for _, args := range [][]string{{"plan", "--all", leaf}, {"plan", "--all", refused}, {"plan", "--compare", leaf},
		{"capacity", refused}, {"capacity", "--all", refused}, {"asic", "list"}, {"asic", "show", "tomahawk"},
		{"asic", "profiles"}, {"asic", "profiles", "sonic"}, {"headroom", "--speed", "400G", "--cable", "300m", "--all"},
		{"headroom", "--speed", "400G", "--cable", "300m", "--compare"}, {"explain", leaf, "Ethernet52"},
		{"diff", leaf, "--set", "ports[0].cable=2km"}, {"sweep", leaf, "--vary", "cable=5m,300m,2km"},
		{"verify", leaf}} {
		var tables []string
		for _, columns := range []int{80, 100, 1000} {
			t.Setenv("COLUMNS", fmt.Sprint(columns))
			_, out, bad := cellwarden(t, args...)
			_, width := widest(out)
			require.LessOrEqual(t, width, columns, "%v\n%s%s", args, out, bad)
			tables = append(tables, out)
		}
		// The same words, wherever they stand.
		require.Equal(t, vocabulary(tables[2]), vocabulary(tables[1]), "%v", args)
	}
	for _, format := range []string{"csv", "json", "md", "html"} {
		var out [2]string
		for i, columns := range []string{"80", "1000"} {
			t.Setenv("COLUMNS", columns)
			_, out[i], _ = cellwarden(t, "plan", leaf, "-o", format)
		}
		require.Equal(t, out[0], out[1], format)
	}
}

// vocabulary is the different numbers of a text.
func vocabulary(text string) []string {
	all := regexp.MustCompile(`[0-9][0-9,.]*[0-9]`).FindAllString(text, -1)
	slices.Sort(all)
	return slices.Compact(all)
}

// Colours are on a terminal alone, or where --color wants them; documents never have any.
func TestColours(t *testing.T) {
	leaf := filepath.Join("..", "..", "examples", "leaf-400g.yaml")
	refused := filepath.Join("..", "..", "examples", "tomahawk4-three-lengths.yaml")
	for _, args := range [][]string{{"plan", leaf}, {"plan", leaf, "--color", "auto"}, {"plan", leaf, "--color=never"},
		{"plan", leaf, "--color=always", "-o", "json"}, {"plan", leaf, "--color=always", "-o", "csv"},
		{"plan", leaf, "--color=always", "-o", "md"}, {"plan", leaf, "--color=always", "-o", "html"}} {
		_, out, _ := cellwarden(t, args...)
		require.NotContains(t, out, "\x1b", args)
	}
	t.Setenv("NO_COLOR", "1") // which --color=always overrides
	_, out, _ := cellwarden(t, "plan", leaf, "--color=always")
	require.True(t, strings.HasPrefix(out, "\x1b[1;32mFITS\x1b[0m\n"), "%q", out)
	_, out, _ = cellwarden(t, "plan", refused, "--color=always", "--all")
	require.True(t, strings.HasPrefix(out, "\x1b[1;31mDOES NOT FIT"), "%q", out)
	require.Contains(t, out, "\x1b[1;33mWarnings\x1b[0m")
}
