// Writes README and the pages of docs/ as the book has them: `node web/book_pages.mjs FOLDER DIST`. Links to other files of
// the repository lead to copies of them, and pictures of examples whose pages are in DIST play.

import { cp, mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";

const [folder, dist] = process.argv.slice(2);
const root = path.join(import.meta.dirname, "..");
const examples = JSON.parse(await readFile(path.join(root, "web/examples.json"), "utf8")).map(({ name }) => name);
const there = (file) => stat(file).then(() => true, () => false);

/** Pictures that are not called as their example, and what the page is asked for. */
const SCENES = { gallery: (scene) => ["gallery", `?scene=${scene}`], stratification: () => ["stratification", ""] };

/** The example that a picture shows, and what its page is asked for. */
function shown(picture) {
  const name = picture.replace(/^images\//, "").replace(/\.\w+$/, "");
  if (examples.includes(name)) return [name, ""];
  const [kind, rest] = [/^gallery\//.test(name) ? "gallery" : name.split("_")[0], name.replace(/^gallery\//, "")];
  return kind in SCENES && (kind === "gallery" || /^\w+?_\d/.test(name)) ? SCENES[kind](rest) : undefined;
}

/** The copies by their files, each made once: pages are written at the same time. */
const copies = new Map();

/** The link to a copy of a file of the repository, as text, which every browser shows. */
async function copied(file) {
  // mdBook takes whatever has `.md` in it for one of its pages.
  const copy = `source/${file.replace(/\.md$/, "")}.txt`;
  if (!copies.has(file)) {
    const folder_there = mkdir(path.join(folder, path.dirname(copy)), { recursive: true });
    copies.set(file, folder_there.then(() => cp(path.join(root, file), path.join(folder, copy))));
  }
  await copies.get(file);
  return copy;
}

/** A picture that plays once it is clicked, if its page is there. */
async function player(whole, alt, picture) {
  const [name, query] = shown(picture) ?? [];
  if (!name || !(await there(path.join(dist, name, "index.html")))) return whole;
  const code = await copied(`examples/${name}.rs`);
  return `<span class="plays" data-page="../${name}/index.html${query}"><img src="${picture}" alt="${alt}">`
    + `<span><a href="${code}">code</a><button title="Plays in this page">play</button></span></span>`;
}

/** Where a link of a page leads in the book; `from` is the folder of the page in the repository. */
async function target(link, from) {
  if (/^(\w+:|#)/.test(link)) return link;
  const [file, heading] = link.split("#");
  const found = path.posix.normalize(path.posix.join(from, file));
  const anchor = heading === undefined ? "" : `#${heading}`;
  if (found === "README.md") return `minute.md${anchor}`;
  if (found.startsWith("docs/")) return `${found.slice("docs/".length)}${anchor}`;
  if (found.replace(/\/$/, "") === "examples") return "examples.md";
  return copied(found);
}

async function replaced(text, pattern, replace) {
  const found = await Promise.all([...text.matchAll(pattern)].map((match) => replace(...match)));
  return text.replace(pattern, () => found.shift());
}

/** A page with its links and pictures; code stays as it is. */
async function page(text, from) {
  const parts = text.split(/^(```[\s\S]*?^```$)/m);
  const prose = parts.map(async (part, index) => {
    // What colours code knows neither RON nor WGSL, which look as Rust does.
    if (index % 2 === 1) return part.replace(/^```(ron|wgsl)/, "```rust");
    const linked = await replaced(part, /\]\(([^)\s]+)\)/g, async (_, link) => `](${await target(link, from)})`);
    return replaced(linked, /!\[([^\]]*)\]\(([^)\s]+)\)/g, player);
  });
  return (await Promise.all(prose)).join("");
}

await cp(path.join(root, "docs/images"), path.join(folder, "images"), { recursive: true });
for (const name of await readdir(path.join(root, "docs"))) {
  if (!name.endsWith(".md")) continue;
  const text = await readFile(path.join(root, "docs", name), "utf8");
  await writeFile(path.join(folder, name), name === "SUMMARY.md" ? text : await page(text, "docs"));
}
const summary = await readFile(path.join(folder, "SUMMARY.md"), "utf8");
await writeFile(path.join(folder, "SUMMARY.md"), summary.replace("# Summary\n", "# Summary\n\n[In a minute](minute.md)"));
await writeFile(path.join(folder, "minute.md"), await page(await readFile(path.join(root, "README.md"), "utf8"), "."));
