package pages_test

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/web"
	"github.com/cellwarden/cellwarden/interop/browser"
)

// picture is how long a page may be held: the time between two pictures of a screen. It is compared with processor time,
// which other programs on the machine change little; the caches that they empty do, so that the best of some attempts
// counts.
const picture, attempts = 16 * time.Millisecond, 4

// unheld tells that no task of the page's main thread is longer than a picture.
func unheld(t *testing.T, tab *browser.Tab, what string, use func()) {
	t.Helper()
	var best browser.Task
	for n := range attempts {
		tasks := tab.Tasks(use)
		require.NotEmpty(t, tasks, "tasks of the main thread: %s", what)
		if n == 0 || tasks[0].CPU < best.CPU {
			best = tasks[0]
		}
		if best.CPU <= picture {
			break
		}
	}
	t.Logf("%s: the longest task took %v of processor time", what, best.CPU)
	require.LessOrEqual(t, best.CPU, picture, "%s: %v", what, best.Parts)
}

// Nothing holds the page longer than a picture: not the answers of its module with hundreds of ports, not a slider that is
// dragged through many lengths, not a table of hundreds of rows. What Chromium itself does to open the file is printed.
func TestPageIsNotHeld(t *testing.T) {
	tab := browser.Open(t)
	tab.Size(1400, 900, false)
	open := tab.Tasks(func() {
		tab.Visit("file://" + filepath.Join(live(t), "cellwarden.html"))
		tab.Until(shown("DOES NOT FIT: 6 ports are refused"))
	})
	t.Logf("opening: the longest task took %v of processor time, %v", open[0].CPU, open[0].Parts)
	answered := whole + `&&document.querySelector("#what-if:not(.old)")`
	for _, name := range []string{"nh-4210-included.yaml", "ets-groups.yaml", "tomahawk5-fboss.yaml"} {
		unheld(t, tab, name, func() {
			browser.Value[bool](tab, `(document.querySelector("#answer").replaceChildren(),true)`)
			put(tab, "#example", "change", name)
			tab.Until(answered)
		})
	}
	unheld(t, tab, "a drag", func() {
		for step := 400; step <= 500; step += 20 {
			put(tab, `[data-path="ports[0].cable"] input`, "input", fmt.Sprint(step))
			tab.Until(whole)
		}
		tab.Until(answered)
	})

	server := httptest.NewServer(web.New(web.Options{}))
	t.Cleanup(server.Close)
	tab.Visit(server.URL)
	tab.Until(shown("DOES NOT FIT"))
	put(tab, "#example", "change", "leaf-400g.yaml")
	tab.Until(shown("FITS"))
	put(tab, "#question", "change", "verify")
	unheld(t, tab, "verify as tables", func() {
		browser.Value[bool](tab, `(document.querySelector("#document").replaceChildren(),document.querySelector("#ask").click(),true)`)
		tab.Until(`document.querySelectorAll("#document tbody tr").length>=50`)
	})
	unheld(t, tab, "more rows", func() {
		browser.Value[bool](tab, `(document.querySelector("#document .scroll button").click(),true)`)
		tab.Until(`document.querySelectorAll("#document tbody tr").length>60`)
	})
	require.Empty(t, tab.Errors())
}
