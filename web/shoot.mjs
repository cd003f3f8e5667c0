// What `web/shoot` does: serves a program, looks at it in a browser, and fails if it is not well.

import { createServer } from "node:http";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const [cache, name, seconds = "60", folder = "web/dist"] = process.argv.slice(2);
const { chromium } = createRequire(path.join(cache, "package.json"))("playwright-core");
const root = path.join("web/dist", name);
const PATIENCE = 180_000;
// What draws in software: no GPU is asked for.
const BROWSER = [
  "--no-sandbox",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--ignore-gpu-blocklist",
];
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

/** Serves the folder of the program; resolves to its port. */
function serve() {
  const server = createServer(async (request, response) => {
    const wanted = decodeURIComponent(new URL(request.url, "http://here").pathname);
    if (wanted === "/favicon.ico") return response.writeHead(204).end();
    const file = path.join(root, path.normalize(wanted.endsWith("/") ? `${wanted}index.html` : wanted));
    try {
      const body = await readFile(file);
      response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "text/plain" });
      response.end(body);
    } catch {
      response.writeHead(404);
      response.end();
    }
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** Part of the pixels that differ clearly from the most frequent one, or from another picture: of all, or
 * of a part of it. */
function difference(helper, picture, other, part) {
  const urls = [picture, other].filter(Boolean).map((png) => `data:image/png;base64,${png.toString("base64")}`);
  return helper.evaluate(async ([urls, part]) => {
    const pixels = await Promise.all(urls.map(async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      const { x = 0, y = 0, width = image.width, height = image.height } = part ?? {};
      return context.getImageData(x, y, width, height).data;
    }));
    const [one, two] = pixels;
    const counts = new Map();
    for (let at = 0; at < one.length; at += 4) {
      const color = (one[at] << 16) | (one[at + 1] << 8) | one[at + 2];
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
    const [frequent] = [...counts].reduce((best, next) => (next[1] > best[1] ? next : best));
    const ground = [frequent >> 16, (frequent >> 8) & 255, frequent & 255];
    let differing = 0;
    for (let at = 0; at < one.length; at += 4) {
      const away = [0, 1, 2].some((part) => Math.abs(one[at + part] - (two ? two[at + part] : ground[part])) > 24);
      differing += away ? 1 : 0;
    }
    return (4 * differing) / one.length;
  }, [urls, part]);
}

async function main() {
  await stat(path.join(root, "index.html")).catch(() => {
    throw new Error(`run web/build ${name} first`);
  });
  await mkdir(folder, { recursive: true });
  const server = await serve();
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: BROWSER });
  const failures = [];
  try {
    const context = await browser.newContext({ viewport: { width: 960, height: 720 } });
    const helper = await context.newPage();
    const page = await context.newPage();
    page.on("console", (message) => {
      // Bevy looks for files that say how to load others, which need not be there.
      if (message.location().url.endsWith(".meta")) return;
      if (message.type() === "error" || /panicked at/.test(message.text())) failures.push(message.text());
      if (message.type() === "warning") console.log(`warning: ${message.text()}`);
    });
    page.on("pageerror", (error) => {
      // Thrown on purpose, to leave `main` while the program goes on.
      if (!/Using exceptions for control flow/.test(error.message)) failures.push(error.message);
    });
    page.on("crash", () => failures.push("the page crashed"));
    await page.addInitScript(() => {
      window.frames_drawn = [];
      const original = window.requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (callback) => original((now) => {
        window.frames_drawn.push(performance.now());
        callback(now);
      });
    });
    const save = async (which) => {
      const picture = await page.screenshot();
      await writeFile(path.join(folder, `browser_${name}_${which}.png`), picture);
      return picture;
    };
    const begin = Date.now();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    while ((await difference(helper, await page.screenshot())) < 0.05) {
      if (failures.length > 0) throw new Error(failures.join("\n"));
      if (Date.now() - begin > PATIENCE) throw new Error("the canvas stays a single colour");
      await page.waitForTimeout(1000);
    }
    console.log(`drawn after ${((Date.now() - begin) / 1e3).toFixed(1)} s`);
    await page.waitForTimeout(1e3 * Number(seconds));
    const calm = await page.screenshot();
    await page.waitForTimeout(2500);
    const before = await save("before");
    await page.mouse.move(450, 560);
    await page.mouse.down();
    for (let step = 0; step <= 40; step += 1) {
      await page.mouse.move(450 + 6 * step, 560 - 7 * step);
      await page.waitForTimeout(50);
    }
    // Frames are few where WebGL2 is drawn in software.
    await page.waitForTimeout(5000);
    const after = await save("after");
    await page.mouse.up();
    const frames = await page.evaluate(() => window.frames_drawn.slice(-60));
    const mean = (frames.at(-1) - frames[0]) / (frames.length - 1);
    console.log(`${mean.toFixed(1)} ms per frame over the last ${frames.length - 1}`);
    // Where the mouse ended up, in the air above the liquid.
    const place = { x: 640, y: 230, width: 100, height: 100 };
    const by_itself = await difference(helper, calm, before, place);
    const by_mouse = await difference(helper, before, after, place);
    const percent = (part) => `${(100 * part).toFixed(1)} %`;
    console.log(`where the mouse went, ${percent(by_mouse)} changed; ${percent(by_itself)} by itself`);
    if ((await difference(helper, after)) < 0.05) failures.push("the canvas is a single colour");
    if (by_mouse < 0.02 + 2 * by_itself) failures.push("dragging the mouse changed nothing");
  } finally {
    await browser.close();
    server.close();
  }
  if (failures.length > 0) throw new Error(failures.join("\n"));
}

main().catch((error) => {
  console.error(`web/shoot ${name}: ${error.message}`);
  process.exit(1);
});
