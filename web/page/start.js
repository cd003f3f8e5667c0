// Starts the program of a page: chooses what the browser can run, shows how much of it has arrived, and says
// so plainly if nothing can run.

import { connect, hear_after_a_touch } from "./input.js";

const page = JSON.parse(document.getElementById("page").textContent);
// The page's address may choose one of the builds: `?build=simd`.
const wanted_build = new URLSearchParams(location.search).get("build");
if (wanted_build) page.programs = page.programs.filter(({ build }) => build === wanted_build);
const status = document.getElementById("status");
const bar = document.querySelector("progress");

/** What a browser may lack; each tells whether it is there. */
const ABILITIES = {
  // A module with a single vector instruction.
  simd: () => WebAssembly.validate(new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
  ])),
  webgl2: () => {
    const context = document.createElement("canvas").getContext("webgl2");
    context?.getExtension("WEBGL_lose_context")?.loseContext();
    return context !== null;
  },
  webgpu: async () => Boolean(await navigator.gpu?.requestAdapter().catch(() => null)),
  threads: () => crossOriginIsolated && WebAssembly.validate(new Uint8Array([
    // A module with an atomic instruction on shared memory.
    0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 5, 4, 1, 3, 1, 1, 10, 11, 1, 9, 0, 65, 0, 254, 16, 2, 0, 26, 11,
  ])),
};

const MISSING = {
  simd: "It needs WebAssembly's vector instructions, which browsers have had since 2021 (Safari since 2023).",
  webgl2: "It needs WebGL2, which is missing or switched off. A newer browser, or hardware acceleration in this "
    + "one's settings, may bring it.",
  webgpu: "It needs WebGPU, which this browser does not have.",
  threads: "It needs threads, which this browser allows only where the host sends headers for it.",
};

/** Sees to it that the browser allows threads, if a program has them: a service worker adds the headers that the host
 * may not send. Resolves to whether the page is loaded again for that. */
async function isolate() {
  const wanted = page.programs.some(({ needs }) => needs.includes("threads"));
  if (!wanted || crossOriginIsolated || !navigator.serviceWorker) return false;
  // Once: where it does not help, the page does without.
  if (new URLSearchParams(location.search).has("isolated")) return false;
  try {
    await navigator.serviceWorker.register(`${page.root}/isolate.js`);
    await navigator.serviceWorker.ready;
  } catch {
    return false;
  }
  const address = new URL(location);
  address.searchParams.set("isolated", "");
  location.replace(address);
  return true;
}

/** The first of the page's programs that can run here. */
async function choose() {
  let reason = "";
  for (const program of page.programs) {
    let lacks = null;
    for (const need of program.needs) {
      if (!(await ABILITIES[need]())) lacks ??= need;
    }
    if (lacks === null) return program;
    reason = MISSING[lacks];
  }
  throw new Error(reason);
}

/** The response, while the bar shows how much of it has arrived. */
function watched(response, size) {
  let arrived = 0;
  const count = new TransformStream({
    transform(chunk, controller) {
      arrived += chunk.byteLength;
      bar.value = Math.min(1, arrived / size);
      status.textContent = arrived < size ? `loading: ${(arrived / 1e6).toFixed(1)} of ${(size / 1e6).toFixed(1)} MB` : "starting";
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(count), { headers: { "content-type": "application/wasm" } });
}

/** Resolves to the canvas that the program adds to the page. */
function canvas_added() {
  return new Promise((resolve) => {
    const look = () => {
      const canvas = document.querySelector("canvas");
      if (canvas) { observer.disconnect(); resolve(canvas); }
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true });
    look();
  });
}

async function start() {
  if (await isolate()) return;
  const program = await choose();
  const response = await fetch(program.wasm);
  if (!response.ok) throw new Error(`The program could not be loaded (${response.status}).`);
  const { default: run } = await import(program.script);
  hear_after_a_touch();
  canvas_added().then((canvas) => {
    document.getElementById("loading").remove();
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", page.sentence);
    canvas.focus();
    connect(canvas, page);
  });
  await run({ module_or_path: watched(response, program.size) });
}

function dialogs() {
  const help = document.getElementById("help");
  document.getElementById("show-help").addEventListener("click", () => help.showModal());
  help.addEventListener("close", () => document.querySelector("canvas")?.focus());
  const full = document.getElementById("full-screen");
  full.hidden = !document.fullscreenEnabled;
  full.addEventListener("click", () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen();
    document.querySelector("canvas")?.focus();
  });
}

dialogs();
start().catch((error) => {
  // Thrown on purpose, to leave `main` while the program goes on.
  if (String(error).includes("Using exceptions for control flow")) return;
  bar.remove();
  status.textContent = `This browser cannot run it. ${error.message}`;
});
