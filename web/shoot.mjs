// What `web/shoot` does: opens the pages that `web/build` made in a browser, and fails if one is not well.

import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { launch, serve } from "./browser.mjs";
import { difference, drawn, open, until } from "./watch.mjs";

const DIST = "web/dist";
const [cache, folder, ...names] = process.argv.slice(2);
const [width, height] = (process.env.SIZE ?? "960x720").split("x").map(Number);
const SIZE = { viewport: { width, height } };
/** Seconds after which pages stand still, and native programs take their picture. */
const AT = Number(process.env.AT ?? 4);
/** The build that pages take, and where they simulate; their own choice without them. */
const CHOSEN = ["BUILD", "BACKEND"]
  .map((name) => (process.env[name] ? `&${name.toLowerCase()}=${process.env[name]}` : ""))
  .join("");

const frames = (page) => page.evaluate(() => window.frames_drawn.length);

async function frames_from_now(page, failures, count) {
  const before = await frames(page);
  await until(`${count} frames`, page, failures, async () => (await frames(page)) >= before + count);
}

/** The picture after AT seconds, to be compared with the native program's. */
async function still(browser, helper, address, name, scene, failures) {
  const query = `?at=${AT}${scene ? `&scene=${scene}` : ""}${CHOSEN}`;
  const { page, said } = await open(browser, `${address}/${name}/${query}`, failures, SIZE);
  const told = () => said.map((text) => /still after (\d+) ticks of ([\d.]+) ms, in state (\w+)/.exec(text)).find(Boolean);
  await until("standing still", page, failures, () => told());
  // Until what loads by itself is there, and text is laid out.
  await frames_from_now(page, failures, 6);
  let picture;
  await until("something drawn", page, failures, async () => {
    picture = await drawn(page, failures);
    return (await difference(helper, picture)) > 0.02;
  });
  await writeFile(path.join(folder, `${name}${scene ? `_${scene}` : ""}.png`), picture);
  const [, ticks, milliseconds, state] = told();
  return { ticks, milliseconds, state };
}

/** Five seconds of play, and a drag by mouse and by touch. */
async function play(browser, helper, address, name, failures) {
  const { page } = await open(browser, `${address}/${name}/?${CHOSEN}`, failures, { ...SIZE, hasTouch: true });
  const loaded = await until("a canvas", page, failures, () => page.evaluate(() => document.querySelector("canvas") !== null));
  const drawn = await until("something drawn", page, failures, async () =>
    (await difference(helper, await page.screenshot())) > 0.02);
  await page.waitForTimeout(5000);
  const way = Array.from({ length: 9 }, (_, step) => [width * (0.4 + 0.02 * step), height * (0.6 - 0.0175 * step)]);
  await page.evaluate(() => {
    window.pressed_by = [];
    document.querySelector("canvas").addEventListener("pointerdown", (event) => window.pressed_by.push(event.pointerType));
  });
  await page.mouse.move(...way[0]);
  await page.mouse.down();
  for (const point of way) {
    await page.mouse.move(...point);
    await page.waitForTimeout(50);
  }
  await frames_from_now(page, failures, 3);
  await page.mouse.up();
  await writeFile(path.join(folder, `${name}_mouse.png`), await page.screenshot());
  const session = await page.context().newCDPSession(page);
  const send = (type, ...points) => session.send("Input.dispatchTouchEvent", {
    type, touchPoints: points.map(([x, y]) => ({ x, y, id: 1 })),
  });
  await send("touchStart", way[0]);
  for (const point of way) {
    await send("touchMove", point);
    await page.waitForTimeout(50);
  }
  await frames_from_now(page, failures, 3);
  await send("touchEnd");
  // Where a finger stands for the mouse it presses as one.
  const pressed = await page.evaluate(() => window.pressed_by);
  if (pressed[0] !== "mouse" || pressed.length < 2) failures.push(`the canvas was pressed by: ${pressed.join(", ") || "nothing"}`);
  await writeFile(path.join(folder, `${name}_touch.png`), await page.screenshot());
  const mean = await page.evaluate(() => {
    const last = window.frames_drawn.slice(-20);
    return (last.at(-1) - last[0]) / (last.length - 1);
  });
  // A phone that is turned: the canvas follows.
  await page.setViewportSize({ width: height, height: width });
  await until(`a canvas of ${height} x ${width}`, page, failures, () => page.evaluate(([height, width]) => {
    const canvas = document.querySelector("canvas");
    return canvas.width === height && canvas.height === width;
  }, [height, width]));
  await frames_from_now(page, failures, 4);
  return { loaded: loaded + drawn, mean };
}

async function main() {
  const entries = await readdir(DIST, { withFileTypes: true });
  const described = JSON.parse(await readFile("web/examples.json", "utf8")).map((example) => example.name);
  const built = entries.filter((entry) => described.includes(entry.name));
  const wanted = names.length > 0 ? names : built.map((entry) => entry.name);
  await mkdir(folder, { recursive: true });
  const { server, address } = await serve(DIST);
  const browser = await launch(cache, (process.env.FLAGS ?? "").split(" ").filter(Boolean));
  const helpers = await browser.newContext();
  const helper = await helpers.newPage();
  const failed = [];
  for (const wish of wanted) {
    const [name, scene] = wish.split(":");
    const failures = [];
    const round = (number) => number.toFixed(1);
    try {
      await stat(path.join(DIST, name, "index.html")).catch(() => { throw new Error(`run web/build ${name} first`); });
      let line = `${wish}:`;
      if (!process.env.ONLY_PLAY) {
        const { ticks, milliseconds, state } = await still(browser, helper, address, name, scene, failures);
        line += ` ${ticks} ticks of ${milliseconds} ms, state ${state};`;
      }
      if (scene === undefined) {
        const { loaded, mean } = await play(browser, helper, address, name, failures);
        line += ` drawn after ${round(loaded)} s; ${round(mean)} ms per frame`;
      }
      console.log(line);
    } catch (error) {
      failures.push(error.message);
    }
    // A page that failed would play on, and slow down the next ones.
    for (const context of browser.contexts()) if (context !== helpers) await context.close();
    for (const failure of new Set(failures)) failed.push(`${wish}: ${failure}`);
  }
  await browser.close();
  server.close();
  if (failed.length > 0) throw new Error(failed.join("\n"));
}

main().catch((error) => {
  console.error(`web/shoot: ${error.message}`);
  process.exit(1);
});
