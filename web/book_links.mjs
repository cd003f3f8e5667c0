// Fails where a page of the book links to what is not there, or loads anything from elsewhere: `node web/book_links.mjs FOLDER`.

import { readFile, readdir, stat } from "node:fs/promises";
import path from "node:path";

const [folder] = process.argv.slice(2);
const names = (await readdir(folder)).filter((name) => name.endsWith(".html") && name !== "404.html");
const pages = new Map(await Promise.all(names.map(async (name) => [name, await readFile(path.join(folder, name), "utf8")])));
const wrong = [];
let followed = 0;
for (const [name, html] of pages) {
  for (const [, tag, link] of html.matchAll(/<(\w+)[^>]*?\s(?:href|src|data-page)="([^"]*)"/g)) {
    if (/^(https?:|mailto:)/.test(link)) {
      if (tag !== "a") wrong.push(`${name} loads ${link}`);
      continue;
    }
    const [file, heading] = link.replaceAll("&amp;", "&").split("#");
    const wanted = path.join(folder, decodeURIComponent(file.split("?")[0]) || name);
    followed += 1;
    if (!(await stat(wanted).catch(() => null))) {
      wrong.push(`${name}: there is no ${link}`);
    } else if (heading && pages.has(path.basename(wanted)) && !pages.get(path.basename(wanted)).includes(`id="${decodeURIComponent(heading)}"`)) {
      wrong.push(`${name}: ${link} has no such heading`);
    }
  }
}
if (wrong.length > 0) throw new Error(wrong.join("\n"));
if (followed < 500) throw new Error(`only ${followed} links found`);
console.log(`${followed} links of ${pages.size} pages lead somewhere`);
