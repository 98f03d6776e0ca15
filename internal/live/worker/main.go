//go:build js && wasm

// Command worker is the module of the page that needs no server: package answers, compiled for a browser. It runs in a
// worker, whose script calls its function with a path of the server and the body of a request, and is called back with
// the answer. So the page itself never waits.
package main

import (
	"context"
	"syscall/js"

	"github.com/cellwarden/cellwarden/internal/answers"
)

func main() {
	ask := func(_ js.Value, args []js.Value) any {
		path, body, answered := args[0].String(), []byte(args[1].String()), args[2]
		go func() { // a function that JavaScript calls must not wait
			r := answers.Ask(context.Background(), path, body)
			answered.Invoke(map[string]any{"status": r.Status, "type": r.Type, "text": string(r.Body)})
		}()
		return nil
	}
	js.Global().Call("started", js.FuncOf(ask))
	select {}
}
