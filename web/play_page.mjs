// Plays a page in headless Chromium: `node web/play_page.mjs CACHE FOLDER PAGE PICTURE [KEY|SECONDS|/TEXT/]...`. It presses
// keys, waits for a time or until a text is on the console, saves a picture, and fails on errors and warnings on the console.

import { writeFile } from "node:fs/promises";
import { launch, serve } from "./browser.mjs";
import { difference, drawn, open, until } from "./watch.mjs";

const [cache, folder, page_in_it, picture, ...script] = process.argv.slice(2);

async function main() {
  const { server, address } = await serve(folder);
  const browser = await launch(cache);
  const helper = await (await browser.newContext()).newPage();
  const failures = [];
  const { page, said, close } = await open(browser, `${address}/${page_in_it}`, failures, { viewport: { width: 480, height: 360 } });
  await until("a canvas", page, failures, () => page.evaluate(() => document.querySelector("canvas") !== null));
  let first;
  await until("something drawn", page, failures, async () => {
    first = await drawn(page, failures);
    return (await difference(helper, first)) > 0.004;
  });
  let heard = 0;
  const play = async (step) => {
    const text = /^\/(.*)\/$/.exec(step)?.[1];
    // Only what is said after the last key: a title may play by itself, and says the same.
    if (text) await until(text, page, failures, () => said.slice(heard).some((line) => line.includes(text)));
    else if (Number(step)) await page.waitForTimeout(1000 * Number(step));
    else {
      heard = said.length;
      await page.keyboard.press(step, { delay: 500 });
    }
  };
  let last;
  try {
    for (const step of script) await play(step);
    last = await drawn(page, failures);
    if ((await difference(helper, last, first)) < 0.004) throw new Error("what was pressed changed nothing that is drawn");
  } catch (error) {
    // What `until` throws may be among the failures already.
    if (failures.length === 0) failures.push(error.message);
    // A program that has ended draws nothing any more.
    last ??= await drawn(page).catch(() => null);
  } finally {
    if (last) await writeFile(picture, last);
    await close();
    await browser.close();
    server.close();
  }
  if (failures.length > 0) throw new Error([...new Set(failures)].join("\n"));
}

main().catch((error) => {
  console.error(`web/play_page: ${error.message}`);
  process.exit(1);
});
