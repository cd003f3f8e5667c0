// Writes the pages of what `web/build` has compiled: `node web/site.mjs FOLDER`. All links are relative. The
// folder's own page leads to those of the examples. The folder of an example that is a program of its own is a
// complete site.

import { cp, mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const [dist] = process.argv.slice(2);
const here = import.meta.dirname;
const examples = JSON.parse(await readFile(path.join(here, "examples.json"), "utf8"));
const template = (name) => readFile(path.join(here, "page", name), "utf8");

/** What a build's program needs, best first. */
const BUILDS = [
  ["threads", ["webgl2", "simd", "threads"]],
  ["webgpu", ["webgpu", "simd"]],
  ["simd", ["webgl2", "simd"]],
  ["plain", ["webgl2"]],
];

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const filled = (text, values) => text.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** Size of what a server sends: brotli's best. That takes a minute for a program compiled in haste, whose size
 * means nothing. */
function compressed_size(bytes) {
  const in_haste = (process.env.BLOB_FLUID_WEB_PROFILE ?? "web") !== "web";
  if (in_haste) return bytes.length;
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
}

/** The programs in a folder, those that were built, by links from the folder of an example. */
async function programs_in(name, link) {
  const found = [];
  for (const [build, needs] of BUILDS) {
    const wasm = `${build}/${name}_bg.wasm`;
    const bytes = await readFile(path.join(dist, name, wasm)).catch(() => null);
    if (!bytes) continue;
    const compressed = compressed_size(bytes);
    console.log(`${name}, ${build}: ${megabytes(bytes.length)} MB, compressed ${megabytes(compressed)}`);
    found.push({ build, needs, wasm: `${link}/${wasm}`, script: `${link}/${build}/${name}.js`, size: bytes.length, compressed });
  }
  return found;
}

/** The program of all examples without a physics engine, and of those with one, in each of their builds. */
const shared = await programs_in("program", "../program");
const with_engines = await programs_in("with_engines", "../with_engines");
const FOLDERS = ["check", "pictures", "program", "with_engines", "book"];

async function write_example(example) {
  const { name, sentence } = example;
  const title = name.replaceAll("_", " ");
  const keys = example.keys.map(([key, effect]) => `<tr><th scope="row">${escaped(key)}</th><td>${escaped(effect)}</td></tr>`);
  const links = (example.scenes ?? []).map((scene) => `<a href="?scene=${scene}">${scene}</a>`);
  const folder = path.join(dist, name);
  await mkdir(folder, { recursive: true });
  for (const file of ["start.js", "input.js", "isolate.js", "style.css"]) await cp(path.join(here, "page", file), path.join(folder, file));
  await cp(path.join(here, "pictures", `${name}.jpg`), path.join(folder, "picture.jpg"));
  await cp(path.join(here, "..", "assets"), path.join(folder, "assets"), { recursive: true });
  const { buttons, gamepad, touch } = example;
  const own = await programs_in(name, ".");
  const code = await readFile(path.join(here, "..", "examples", `${name}.rs`), "utf8");
  const has_panel = code.includes("bevy_blob_fluid_panel");
  const has_engine = /avian2d::|bevy_rapier2d::/.test(code);
  const found = (own.length > 0 ? own : has_engine ? with_engines : shared).filter(({ needs }) => !(has_panel && needs.includes("threads")));
  await writeFile(path.join(folder, "index.html"), filled(await template("example.html"), {
    name,
    title: escaped(title),
    sentence: escaped(sentence),
    keys: keys.join(""),
    scenes: links.length > 0 ? `Scenes: ${links.join(", ")}.` : "",
    back: "../index.html",
    page: JSON.stringify({ sentence, buttons, gamepad, touch, root: own.length > 0 ? "." : "..", programs: found }).replaceAll("<", "\\u003c"),
  }));
  return own[0]?.compressed;
}

const built = [];
for (const example of examples) {
  const there = await stat(path.join(dist, example.name)).catch(() => null);
  if (there || shared.length > 0) built.push(example);
}
const unknown = (await readdir(dist, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory() && !FOLDERS.includes(entry.name))
  .filter((entry) => !examples.some((example) => example.name === entry.name));
if (unknown.length > 0) throw new Error(`web/examples.json does not describe ${unknown.map((entry) => entry.name).join(", ")}`);

const cards = [];
await mkdir(path.join(dist, "pictures"), { recursive: true });
for (const example of built) {
  const { name, sentence } = example;
  const bytes = await write_example(example);
  await cp(path.join(here, "pictures", `${name}.jpg`), path.join(dist, "pictures", `${name}.jpg`));
  cards.push(`<li><a href="${name}/index.html"><img src="pictures/${name}.jpg" alt="" width="480" height="360" loading="lazy"></a>
<h2><a href="${name}/index.html">${escaped(name.replaceAll("_", " "))}</a></h2>
<p>${escaped(sentence)}</p>${bytes ? `\n<p><small>${megabytes(bytes)} MB</small></p>` : ""}</li>`);
}
for (const file of ["isolate.js", "style.css"]) await cp(path.join(here, "page", file), path.join(dist, file));
await writeFile(path.join(dist, "index.html"), filled(await template("overview.html"), {
  size: shared.length > 0 ? `They are one program of ${megabytes(shared[0].compressed)} MB, and those with a physics engine another of ${megabytes(with_engines[0].compressed)} MB, compressed as servers do it (brotli).` : "",
  examples: cards.join("\n"),
}));
