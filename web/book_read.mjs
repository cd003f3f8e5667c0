// Opens every page of the book in a browser, and lets an example of each program play in it: `node web/book_read.mjs CACHE DIST`.
// Errors and warnings on the console fail, and so does an example that draws nothing.

import { readdir } from "node:fs/promises";
import path from "node:path";
import { launch, serve } from "./browser.mjs";
import { difference, open, until } from "./watch.mjs";

const [cache, dist] = process.argv.slice(2);
const SIZE = { viewport: { width: 1000, height: 760 } };
/** An example with a physics engine and one without, and the page that shows them. */
const PLAYED = [["bodies.html", "boats"], ["materials.html", "materials"]];

const names = (await readdir(path.join(dist, "book"))).filter((name) => name.endsWith(".html") && !/^(404|print|toc)/.test(name));
const { server, address } = await serve(dist);
const browser = await launch(cache);
const failures = [];
try {
  for (const name of names) {
    const { page, close } = await open(browser, `${address}/book/${name}`, failures, SIZE);
    await until(`${name}: a heading`, page, failures, () => page.evaluate(() => document.querySelector("main h1") !== null));
    await close();
  }
  // What the search finds.
  const { page, close } = await open(browser, `${address}/book/index.html?search=viscosity`, failures, SIZE);
  await until("found pages", page, failures, () => page.evaluate(() => document.querySelectorAll("#searchresults a").length > 3));
  await close();
  const helper = await (await browser.newContext()).newPage();
  for (const [name, example] of PLAYED) {
    const { page, close } = await open(browser, `${address}/book/${name}`, failures, SIZE);
    const place = page.locator(`.plays[data-page="../${example}/index.html"]`).first();
    await place.locator("button").click();
    const frame = page.frameLocator(".plays.now iframe");
    await frame.locator("canvas").waitFor({ state: "attached", timeout: 240_000 });
    const taken = await until(`${name}: something drawn`, page, failures, async () =>
      (await difference(helper, await place.screenshot())) > 0.02);
    console.log(`${example} plays in ${name}, drawn after ${taken.toFixed(1)} s`);
    await close();
  }
} finally {
  await browser.close();
  server.close();
}
if (failures.length > 0) throw new Error(failures.join("\n"));
console.log(`${names.length} pages read`);
