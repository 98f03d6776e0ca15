// Package browser opens pages in a real browser, for tests: headless Chromium, driven over its protocol. A test of a
// machine without Chromium is skipped, and says what to install.
//
// A [Tab] keeps everything that a page reports as an error: exceptions of scripts, errors on the console, and what the
// browser refuses, such as a resource that the page's policy does not allow.
package browser

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// names are the commands that Chromium is installed as.
var names = []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"}

// limit is how long one test may use a browser. A browser that hangs fails the test; one on a busy machine does not.
const limit = 4 * time.Minute

// Tab is a page in a browser.
type Tab struct {
	t      testing.TB
	ctx    context.Context
	mu     sync.Mutex
	errors []string
}

// start starts the browser that all tests of a program use: a start takes longer than a short test, and a window or a
// storage of its own for each test nearly as long. A test has a tab of its own; our pages store nothing.
var start = sync.OnceValues(func() (context.Context, error) {
	path := ""
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		return nil, nil
	}
	// A browser's sandbox needs rights that a container often does not have, and the pages are the test's own.
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU)
	ctx, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopBrowser := chromedp.NewContext(ctx)
	end = func() { stopBrowser(); stopAllocator() }
	// A browser that does not start fails the test; the context itself has no end, because the browser would end with it.
	late := time.AfterFunc(limit, stopBrowser)
	defer late.Stop()
	return ctx, chromedp.Do(ctx)
})

// end ends the browser.
var end = func() {}

// Main is TestMain of a package whose tests use a browser: it runs them, ends the browser, and returns the exit code.
func Main(m *testing.M) int {
	defer func() { end() }()
	return m.Run()
}

// Open opens a tab that ends with the test. It skips the test if there is no browser, and if the tests are short.
func Open(t testing.TB) *Tab {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	ctx, err := start()
	require.NoError(t, err)
	if ctx == nil {
		t.Skip("no browser: install Debian's package chromium, or another Chromium as one of ", names)
	}
	ctx, stop := chromedp.NewContext(ctx, chromedp.WithNewWindow(false))
	t.Cleanup(stop)
	tab := &Tab{t: t}
	tab.ctx, stop = context.WithTimeout(ctx, limit)
	t.Cleanup(stop)
	require.NoError(t, chromedp.Listen(tab.ctx, tab.listen))
	call(tab, log.Enable, cdp.Empty{})
	call(tab, runtime.Enable, cdp.Empty{})
	return tab
}

// listen keeps errors.
func (b *Tab) listen(event any) {
	text := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		text = e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			text += " " + x.Description
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type != "error" && e.Type != "warning" {
			return
		}
		for _, a := range e.Args {
			text += string(a.Value) + a.Description + " "
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			text = e.Entry.Text + " " + e.Entry.URL
		}
	}
	if text != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.errors = append(b.errors, text)
	}
}

// call sends a command to the browser; one that fails fails the test.
func call[P, R any](b *Tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, command, params)
	require.NoError(b.t, err)
}

// run runs an action; one that fails fails the test.
func run[T any](b *Tab, action chromedp.Action[T]) T {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, action)
	require.NoError(b.t, err)
	return out
}

// Visit opens a page and waits until it is loaded.
func (b *Tab) Visit(url string) {
	b.t.Helper()
	run(b, chromedp.Navigate(url))
}

// Size sets the size of the window, and whether the screen is dark.
func (b *Tab) Size(width, height int64, dark bool) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	run(b, chromedp.EmulateViewport(width, height))
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// Print shows the page as it is printed, on a screen that is dark.
func (b *Tab) Print() {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print",
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
}

// Value returns the value of an expression in the page's language.
func Value[T any](b *Tab, expression string) T {
	b.t.Helper()
	return run(b, chromedp.Evaluate[T](expression))
}

// Await returns what the promise resolves to that is the value of an expression.
func Await[T any](b *Tab, expression string) T {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(b.t, err, "%.200s", expression)
	return out
}

// Press presses a key, such as "\t".
func (b *Tab) Press(key string) {
	b.t.Helper()
	run(b, chromedp.KeyEvent(key))
}

// Until waits until an expression is true. The page itself looks again and again.
func (b *Tab) Until(expression string) {
	b.t.Helper()
	ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](fmt.Sprintf("new Promise(done=>{let left=%d;const look=()=>{"+
		"if(%s)done(true);else if(left--<0)done(false);else setTimeout(look,10)};look()})", limit/4/(10*time.Millisecond),
		expression), chromedp.EvalAwaitPromise))
	require.NoError(b.t, err, expression)
	require.True(b.t, ok, "%s; the page reports %v", expression, b.Errors())
}

// Screenshot returns the whole page as a PNG file.
func (b *Tab) Screenshot() []byte {
	b.t.Helper()
	return run(b, chromedp.FullScreenshot(100))
}

// Errors returns what the pages have reported so far.
func (b *Tab) Errors() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.errors)
}

// Overflow says what of the page is wider than the window; "" if nothing is. Parts that scroll by themselves are not
// counted.
func (b *Tab) Overflow() string {
	b.t.Helper()
	return Value[string](b, fmt.Sprintf(`(()=>{const w=%s;
	if(document.documentElement.scrollWidth<=w)return "";
	return [...document.querySelectorAll("body *")].filter(e=>e.getBoundingClientRect().right>w+1&&!e.closest(".scroll,svg"))
	.slice(0,5).map(e=>e.tagName+"."+e.className+" "+e.textContent.slice(0,40)).join("; ")||"the page"})()`,
		"document.documentElement.clientWidth"))
}
