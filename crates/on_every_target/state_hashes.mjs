// Prints the hashes of the lab's scenes and of their snapshots, as the native program `state_hashes` does: in Node
// (`state_hashes.mjs PROGRAM.wasm`), or in headless Chromium (`... PROGRAM.wasm CACHE`, with Playwright in the
// folder CACHE and the browser's path in CHROMIUM).

import { readFile } from "node:fs/promises";
import path from "node:path";

/** The lines of a program, given its bytes, and the milliseconds that they take. It runs in pages too. */
async function lines(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const { memory, scenes, name, name_length, hash } = instance.exports;
  const begin = performance.now();
  const found = [];
  for (let scene = 0; scene < scenes(); scene += 1) {
    const letters = new Uint8Array(memory.buffer, name(scene), name_length(scene));
    // Before the simulation: the memory moves when it grows.
    const text = new TextDecoder().decode(letters);
    found.push(`${text} ${BigInt.asUintN(64, hash(scene)).toString(16).padStart(16, "0")}`);
  }
  return { found, milliseconds: performance.now() - begin };
}

async function lines_in_page(program, cache) {
  const { launch, serve } = await import("../../web/browser.mjs");
  const { server, address } = await serve(path.dirname(program));
  const browser = await launch(cache);
  const page = await browser.newPage();
  await page.goto(address);
  const wasm = `${address}/${path.basename(program)}`;
  const result = await page.evaluate(
    ([lines, wasm]) => fetch(wasm).then((response) => response.arrayBuffer()).then(eval(`(${lines})`)),
    [lines.toString(), wasm],
  );
  await browser.close();
  server.close();
  return result;
}

const [program, cache] = process.argv.slice(2);
const { found, milliseconds } = cache ? await lines_in_page(program, cache) : await lines(await readFile(program));
console.log(found.join("\n"));
console.error(`${path.basename(program)}: ${(milliseconds / 1e3).toFixed(2)} s ${cache ? "in Chromium" : "in Node"}`);
