// The worker of a page without a server: it unpacks the page's module, runs it, and answers what the page asks. The
// page keeps the compiled module for the next worker.
"use strict";
(() => {
  let ask;
  const waiting = [];
  const put = ({ id, path, body }) => ask(path, body, (answer) => postMessage({ id, ...answer }));
  // The module calls it when it runs.
  globalThis.started = (its) => {
    ask = its;
    waiting.splice(0).forEach(put);
  };
  const compiled = async (module) => {
    if (typeof module !== "string") return module;
    const bytes = Uint8Array.from(atob(module), (c) => c.charCodeAt(0));
    const wasm = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compileStreaming(new Response(wasm, { headers: { "Content-Type": "application/wasm" } }));
  };
  const run = async (packed) => {
    const go = new Go(), module = await compiled(packed);
    postMessage({ module });
    await go.run(await WebAssembly.instantiate(module, go.importObject));
    throw new Error("the module has ended");
  };
  onmessage = ({ data }) => {
    if (data.module) run(data.module).catch((err) => postMessage({ failed: String(err.message || err) }));
    else if (ask) put(data);
    else waiting.push(data);
  };
})();
