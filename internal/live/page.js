// The page keeps one state: a topology, the files that it names, and the values that the reader gives in place of the
// topology's. Every change of the state is asked about, and the answer is shown; the link has the state too. A server
// answers; in a page that brings a module of its own, a worker does, with the same bytes.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const state = { topology: "", files: {}, set: new Map(), others: "", verify: false };

  // element("td", "r", parts...) makes an element of a class.
  const element = (name, kind, ...parts) => {
    const e = document.createElement(name);
    if (kind) e.className = kind;
    e.append(...parts);
    return e;
  };

  // Cables are dragged on a logarithmic scale, from 1 m to 100 km; its left end is 0 m.
  const STEPS = 1000, FAR = 5;
  const cableAt = (step) => {
    if (step <= 0) return "0m";
    const m = Math.pow(10, (FAR * step) / STEPS);
    const digits = Math.pow(10, Math.max(0, Math.floor(Math.log10(m)) - 1));
    const rounded = Math.round(m / digits) * digits;
    return rounded >= 1000 ? `${Number((rounded / 1000).toFixed(3))}km` : `${Math.round(rounded)}m`;
  };
  const stepOf = (m) => (m < 1 ? 0 : Math.min(STEPS, Math.round((Math.log10(m) / FAR) * STEPS)));

  const changes = () => {
    const out = [];
    for (const [path, value] of state.set) out.push(`${path}=${value}`);
    for (const line of state.others.split("\n")) if (line.trim() !== "") out.push(line.trim());
    return out;
  };
  const asked = () => ({ topology: state.topology, set: changes(), files: state.files });
  // A simulation takes long, as what is planned many times over does: both are for a reader who has stopped changing.
  const question = (full) => JSON.stringify({ ...asked(), verify: full && state.verify, full });

  // request(path, body, signal) resolves to the status and the text of an answer. Without a body it is a GET.
  const ofServer = async (path, body, signal) => {
    const post = { method: "POST", headers: { "Content-Type": "application/json" }, body, signal };
    const response = await fetch(path, body === undefined ? {} : post);
    return { status: response.status, text: await response.text() };
  };
  // A question cannot be taken back from a module that is at work on it, so its worker is ended. The next one has the
  // compiled module, and the questions that are not taken back.
  const ofModule = () => {
    const url = URL.createObjectURL(new Blob([$("worker").textContent], { type: "text/javascript" }));
    const open = new Map();
    let module = $("module").textContent, worker, last = 0;
    const start = () => {
      worker = new Worker(url);
      const failed = (text) => {
        for (const { reject } of open.values()) reject(new Error(`this browser cannot run the page's module: ${text}`));
        open.clear();
      };
      worker.onerror = (event) => failed(event.message);
      worker.onmessage = ({ data }) => {
        if (data.failed !== undefined) failed(data.failed);
        else if (data.module) module = data.module;
        else if (open.has(data.id)) {
          open.get(data.id).resolve(data);
          open.delete(data.id);
        }
      };
      worker.postMessage({ module });
      for (const [id, { path, body }] of open) worker.postMessage({ id, path, body });
    };
    start();
    $("module").remove();
    return (path, body = "", signal) => new Promise((resolve, reject) => {
      const id = ++last;
      open.set(id, { path, body, resolve, reject });
      worker.postMessage({ id, path, body });
      if (signal) signal.addEventListener("abort", () => {
        if (!open.delete(id)) return;
        worker.terminate();
        start();
        reject(new DOMException("taken back", "AbortError"));
      });
    });
  };
  const request = $("module") ? ofModule() : ofServer;
  globalThis.cellwarden = { request }; // for the browser's console: the API, also without a server

  // One question is under way at a time. What changes meanwhile is asked when its answer is there; a question that can
  // take long is taken back for it. What takes longer, such as the longest cable, is asked when the reader has changed
  // nothing for a while.
  const QUIET = 400;
  let busy, again = false, quiet;
  const ask = async (full = false) => {
    clearTimeout(quiet);
    if (!full) keep();
    if (busy) {
      again = true;
      busy();
      return;
    }
    if (state.topology.trim() === "") return;
    const stop = new AbortController();
    busy = () => full && stop.abort();
    try {
      const { text } = await request("/page/answer", question(full), stop.signal);
      let answer;
      try { answer = JSON.parse(text); } catch { answer = { errors: [text] }; }
      if (!again) {
        show(answer, full);
        if (!full && !answer.errors) quiet = setTimeout(() => ask(true), QUIET);
      }
    } catch (err) {
      if (err.name !== "AbortError") show({ errors: [`there is no answer: ${err.message}`] });
    } finally {
      busy = undefined;
      if (again) { again = false; ask(); }
    }
  };

  const show = (answer, full) => {
    const errors = $("errors"), text = (answer.errors || []).join("\n");
    errors.hidden = !answer.errors;
    if (errors.textContent !== text) errors.textContent = text; // it is read aloud when it changes
    $("answer").classList.toggle("old", Boolean(answer.errors));
    wrong(answer.fields || []);
    if (answer.errors) {
      const first = answer.errors[0], more = answer.errors.length - 1;
      verdict("bad", "no plan", (first.length > 90 ? `${first.slice(0, 90)}\u2026` : first) + (more ? ` (and ${more} more)` : ""));
      document.title = "refused - cellwarden";
      return;
    }
    replace(answer.html, full);
    verdict(answer.tone, answer.verdict, answer.number + (state.verify && !full ? " \u00b7 not yet simulated" : ""));
    document.title = `${answer.title} - cellwarden`;
    controls(answer.controls);
    $("port").placeholder = answer.port;
  };

  // The verdict and its number are in sight while a value changes, and read aloud.
  const verdict = (tone, text, number) => {
    const bar = $("verdict");
    bar.className = `bar verdict ${tone}`;
    bar.replaceChildren(text, number ? " \u00b7 " : "", element("span", "number", number));
  };

  // The parts of an answer that changed are replaced one by one, each before a picture of its own: to lay all of them out
  // at once would hold the page. What a reader has opened and chosen in them stays. What if is planned many times over,
  // so the old one is shown until the new one is there.
  const picture = () => new Promise((done) => {
    const late = setTimeout(done, 100); // a page that is not looked at has no pictures
    requestAnimationFrame(() => { clearTimeout(late); setTimeout(done); });
  });
  const texts = new WeakMap(); // of the parts that are shown
  let replaced = 0;
  const replace = async (html, full) => {
    const turn = ++replaced, box = $("answer"), made = document.createElement("template");
    // Its maker has escaped every text in it, and the page's policy allows no script but this one.
    made.innerHTML = html;
    const key = (part) => part.id || part.tagName, old = new Map([...box.children].map((part) => [key(part), part]));
    const parts = [...made.content.children], keys = new Set(parts.map(key)), waits = !full && !keys.has("what-if");
    const open = new Set([...box.querySelectorAll("details[open]>summary")].map((s) => s.textContent));
    const unit = box.querySelector("input[name=unit]:checked");
    const at = box.contains(document.activeElement) ? document.activeElement.id : "";
    box.setAttribute("aria-busy", "true");
    for (const [name, part] of old) {
      if (name === "what-if" && waits) part.classList.add("old"); else if (!keys.has(name)) part.remove();
    }
    let last;
    for (const part of parts) {
      const before = old.get(key(part)), text = part.outerHTML;
      const same = before && texts.get(before) === text, now = same ? before : part;
      if (same) now.classList.remove("old"); else if (before) before.replaceWith(now);
      const place = last ? last.nextElementSibling : box.firstElementChild;
      if (place !== now) box.insertBefore(now, place);
      last = waits && now.nextElementSibling?.id === "what-if" ? now.nextElementSibling : now;
      if (same) continue;
      texts.set(part, text);
      for (const s of part.querySelectorAll("details>summary")) s.parentNode.open = open.has(s.textContent);
      const inside = (id) => id && part.querySelector(`#${CSS.escape(id)}`);
      if (inside(unit?.id)) inside(unit.id).checked = true;
      if (inside(at)) inside(at).focus();
      await picture();
      if (turn !== replaced) return;
    }
    box.removeAttribute("aria-busy");
  };

  // A complaint about one value stands beside its field.
  const wrong = (list) => {
    for (const p of document.querySelectorAll(".wrong")) p.remove();
    for (const input of document.querySelectorAll("[aria-invalid]")) {
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-describedby");
    }
    for (const f of list) {
      const field = state.set.has(f.path) && document.querySelector(`[data-path="${CSS.escape(f.path)}"]`);
      const input = field ? field.querySelector("input,select") : $(f.path === "" ? "topology" : "others");
      let p = $(`${input.id}-wrong`);
      if (!p) {
        p = element("p", "wrong");
        p.id = `${input.id}-wrong`;
        input.after(p);
        input.setAttribute("aria-invalid", "true");
        input.setAttribute("aria-describedby", p.id);
      }
      const spelled = f.path.replaceAll(".", ": ");
      const named = field && [`${f.path}: `, `${spelled}: `, `${spelled} `].find((path) => f.text.startsWith(path));
      p.textContent += (p.textContent === "" ? "" : "\n") + f.text.slice(named ? named.length : 0); // the field has its name
    }
  };

  // A value in words: "300 m" of 300m.
  const words = (value) => value.replace(/^([0-9.]+)([a-z]+)$/, "$1 $2");

  // The controls are made anew only if there are others: the one that is dragged stays.
  let made = "";
  const controls = (list) => {
    const kinds = list.map((c) => c.path + c.label + JSON.stringify(c.choices || [])).join("\n");
    if (kinds !== made) {
      made = kinds;
      $("sliders").replaceChildren($("sliders").querySelector("legend"), ...list.map(control));
    }
    // A change without a control stands among the other values.
    for (const [path, value] of state.set) if (!list.some((c) => c.path === path)) {
      state.set.delete(path);
      state.others = $("others").value = `${state.others}${state.others && "\n"}${path}=${value}`;
    }
    for (const c of list) {
      const field = document.querySelector(`[data-path="${CSS.escape(c.path)}"]`);
      field.classList.toggle("changed", state.set.has(c.path));
      const input = field.querySelector("input,select");
      if (c.kind === "cable") {
        if (input !== document.activeElement) input.value = stepOf(c.metres);
        said(field, input, c.value);
      } else if (c.kind === "text" && input !== document.activeElement) {
        input.value = state.set.get(c.path) || "";
        input.placeholder = c.value || "as in the topology";
      }
    }
  };

  // said writes the value of a slider beside it, and says it in words.
  const said = (field, input, value) => {
    field.querySelector("output").textContent = words(value);
    input.setAttribute("aria-valuetext", words(value));
  };

  const control = (c, i) => {
    const id = `control-${i}`, chosen = state.set.get(c.path) || "", label = element("label", "", c.label);
    label.htmlFor = id;
    const field = element("div", "field", label);
    field.dataset.path = c.path;
    const put = (value) => {
      if (value === "") state.set.delete(c.path); else state.set.set(c.path, value);
      ask();
    };
    const input = element(c.kind === "choice" ? "select" : "input", "");
    input.id = id;
    if (c.kind === "cable") {
      const output = element("output", "");
      output.htmlFor = id;
      field.append(output);
      Object.assign(input, { type: "range", min: 0, max: STEPS, step: 1 });
      input.value = stepOf(c.metres);
      input.addEventListener("input", () => {
        const value = cableAt(Number(input.value));
        said(field, input, value);
        put(value);
      });
    } else if (c.kind === "choice") {
      input.append(new Option(chosen === "" ? `${c.value} (as in the topology)` : "as in the topology", ""));
      const own = (c.choices || []).slice();
      if (chosen !== "" && !own.some((x) => x.set === chosen)) own.unshift({ label: c.value, set: chosen });
      for (const x of own) input.append(new Option(x.label, x.set));
    } else {
      Object.assign(input, { type: "text", spellcheck: false, autocomplete: "off", maxLength: 200 });
    }
    if (c.kind !== "cable") {
      input.value = chosen;
      input.addEventListener("change", () => put(input.value.trim()));
    }
    field.append(input);
    return field;
  };

  // The link has the state behind its #, packed. A browser does not send it to the server.
  const LONGEST = 1 << 20;
  const pack = async (text) => {
    const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
    let binary = "";
    for (const b of bytes) binary += String.fromCharCode(b);
    return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  };
  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const parts = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > LONGEST) throw new Error("the state in the link is too long");
      parts.push(value);
    }
    return new Blob(parts).text();
  };
  let kept = 0;
  const keep = async () => {
    const turn = ++kept;
    const hash = "#" + (await pack(JSON.stringify({ ...state, set: [...state.set] })));
    if (turn !== kept) return; // a newer state is being packed
    history.replaceState(null, "", hash);
    $("link").href = hash;
  };
  const restore = async () => {
    if (location.hash.length < 2) return false;
    try {
      const from = JSON.parse(await unpack(location.hash.slice(1)));
      state.topology = String(from.topology);
      state.files = Object.fromEntries(Object.entries(from.files || {}).map(([name, text]) => [name, String(text)]));
      state.set = new Map(from.set.map(([path, value]) => [String(path), String(value)]));
      state.others = String(from.others);
      state.verify = from.verify === true;
      return true;
    } catch (err) {
      show({ errors: [`the link has no state that can be read: ${err.message}`] });
      return false;
    }
  };
  const fill = () => {
    $("topology").value = state.topology;
    $("others").value = state.others;
    $("verify").checked = state.verify;
    const names = Object.keys(state.files);
    $("files").hidden = names.length === 0;
    $("files").textContent = `With the files that it names: ${names.join(", ")}`;
    made = "";
  };

  const example = async (name) => {
    const { status, text } = await request(`/v1/examples/${encodeURIComponent(name)}`);
    if (status !== 200) return;
    Object.assign(state, { topology: JSON.parse(text).topology, files: {}, set: new Map(), others: "" });
    fill();
    ask();
  };

  const download = (name, type, text) => {
    const a = document.createElement("a");
    a.href = URL.createObjectURL(new Blob([text], { type }));
    a.download = name;
    a.click();
    URL.revokeObjectURL(a.href);
  };

  // A document of the API as tables: its keys are those of the document.
  const spaced = (key) => key.replaceAll("_", " ");
  const isObject = (x) => x !== null && typeof x === "object";
  const inLine = (x) => {
    if (Array.isArray(x)) return x.map(inLine).join(isObject(x[0]) ? "; " : ", ");
    if (isObject(x)) return Object.entries(x).map(([key, y]) => `${spaced(key)} ${inLine(y)}`).join(", ");
    return typeof x === "number" ? x.toLocaleString("en-US", { maximumSignificantDigits: 6 }) : String(x ?? "");
  };
  // A long table is laid out as far as a reader wants it.
  const ROWS = 50;
  const table = (rows, from = 0) => {
    const keys = [...new Set(rows.flatMap(Object.keys))], end = Math.min(rows.length, from + ROWS);
    const cell = (x) => element("td", typeof x === "number" ? "r" : "", inLine(x));
    const out = element("div", "scroll", element("table", "", element("thead", "", element("tr", "",
      ...keys.map((key) => element("th", "", spaced(key))))),
    element("tbody", "", ...rows.slice(from, end).map((row) => element("tr", "", ...keys.map((key) => cell(row[key])))))));
    if (end < rows.length) {
      const more = element("button", "", `more: rows ${end + 1} to ${Math.min(rows.length, end + ROWS)} of ${rows.length}`);
      more.type = "button";
      more.addEventListener("click", () => more.replaceWith(table(rows, end)));
      out.append(more);
    }
    return out;
  };
  const parts = (value) => {
    const lines = element("dl", "lines"), out = [lines];
    for (const [key, x] of Object.entries(value)) {
      if (Array.isArray(x) && x.length > 0 && x.every((y) => isObject(y) && !Array.isArray(y))) {
        out.push(element("h3", "", spaced(key)), table(x));
      } else if (isObject(x) && !Array.isArray(x)) {
        out.push(element("h3", "", spaced(key)), ...parts(x));
      } else {
        lines.append(element("div", "", element("dt", "", spaced(key)), element("dd", "", inLine(x))));
      }
    }
    return out;
  };

  // The further questions are those of the API.
  const further = {
    risk: () => ({ ...asked(), congested: $("congested").value, fan_in: Number($("fan-in").value) }),
    explain: () => ({ ...asked(), port: $("port").value || $("port").placeholder }),
    diff: () => ({ from: { ...asked(), set: [] }, to: asked() }),
  };
  let answered = "";
  const askFurther = async () => {
    const name = $("question").value, box = $("document");
    $("ask").disabled = true;
    box.hidden = false;
    box.classList.add("old");
    if (!box.firstChild) box.append(element("h2", "", `${name}: asked`));
    try {
      const { status, text } = await request(`/v1/${name}`, JSON.stringify((further[name] || asked)()));
      const answer = JSON.parse(text), good = status === 200;
      answered = good ? text : "";
      const made = good ? parts(answer) : (answer.errors || [{ message: answer.detail }]).map(
        ({ message, location }) => element("p", "wrong", location ? `${location}: ${message}` : message));
      box.replaceChildren(element("h2", "", good ? name : `${name}: no answer`), ...made);
    } catch (err) {
      answered = "";
      box.replaceChildren(element("p", "wrong", `there is no answer: ${err.message}`));
    }
    box.classList.remove("old");
    $("json").hidden = answered === "";
    $("ask").disabled = false;
    box.focus();
  };

  const start = async () => {
    const choices = JSON.parse((await request("/v1/choices")).text);
    $("example").append(new Option("choose an example", ""), ...choices.examples.map((x) => new Option(x, x)));
    $("chips").textContent = "Chips: " + choices.chips.filter((c) => c.total_cells > 0).map((c) => c.name).join(", ");
    $("methods").textContent = "Methods: " + choices.methods.join(", ");
    $("example").addEventListener("change", () => { if ($("example").value) example($("example").value); });
    let wait;
    const typed = (from, key) => $(from).addEventListener("input", () => {
      clearTimeout(wait);
      wait = setTimeout(() => { state[key] = $(from).value; ask(); }, 150);
    });
    typed("topology", "topology");
    typed("others", "others");
    $("verify").addEventListener("change", () => { state.verify = $("verify").checked; ask(); });
    $("reset").addEventListener("click", () => { state.set.clear(); state.others = ""; fill(); ask(); });
    $("controls").addEventListener("submit", (e) => e.preventDefault());
    $("save").addEventListener("click", async () => {
      const body = JSON.stringify({ ...asked(), verify: state.verify, full: true });
      const { status, text } = await request("/page/report", body);
      if (status === 200) download("plan.html", "text/html", text); else show({ errors: [text] });
    });
    const choose = () => {
      for (const field of document.querySelectorAll("[data-for]")) field.hidden = field.dataset.for !== $("question").value;
    };
    $("question").addEventListener("change", choose);
    choose();
    $("ask").addEventListener("click", askFurther);
    $("json").addEventListener("click", () => download("answer.json", "application/json", answered));
    addEventListener("hashchange", async () => { if (await restore()) { fill(); ask(); } });
    if (await restore()) {
      fill();
      ask();
    } else if ($("state")) { // a page that was made for a topology
      const from = JSON.parse($("state").textContent);
      Object.assign(state, { topology: from.topology, files: from.files || {}, verify: from.verify === true });
      for (const text of from.changes || []) {
        const at = text.indexOf("=");
        state.set.set(text.slice(0, at), text.slice(at + 1));
      }
      fill();
      ask();
    } else if ($("errors").hidden) {
      // One to drag cables of: its method has a headroom for every length.
      example(choices.examples.find((x) => x.includes("three-lengths")) || choices.examples[0]);
    }
  };
  start().catch((err) => show({ errors: [err.message] }));
})();
