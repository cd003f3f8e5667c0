// Opens pages in a browser, and watches what they say and draw.

// Frames are few where WebGL2 is drawn in software.
const PATIENCE = 240_000;

/** Part of the pixels of a picture that differ clearly from another picture's, or from its own most frequent
 * one. */
export function difference(helper, picture, other) {
  const urls = [picture, other].filter(Boolean).map((png) => `data:image/png;base64,${png.toString("base64")}`);
  return helper.evaluate(async (urls) => {
    const [one, two] = await Promise.all(urls.map(async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height).data;
    }));
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
  }, urls);
}

/** A page whose errors, and whose warnings, are failures. */
export async function open(browser, address, failures, options) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const said = [];
  page.on("console", (message) => {
    const text = message.text();
    said.push(text);
    // What the driver says about reading pixels back for the screenshots.
    if (/GL Driver Message|GPU stall due to ReadPixels|swiftshader/i.test(text)) return;
    // What Chromium says where a page asks for WebGPU and there is none.
    if (/^No available adapters/.test(text)) return;
    // How wasm-bindgen-rayon 1.3 starts its workers.
    if (/using deprecated parameters for the initialization function/.test(text)) return;
    if (["error", "warning"].includes(message.type()) || /panicked at/.test(text)) failures.push(text);
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
      // Later there may be nothing left to read.
      window.want_picture?.(document.querySelector("canvas").toDataURL());
      window.want_picture = undefined;
    });
  });
  // Only the program's own picture counts.
  await page.addInitScript(() => addEventListener("DOMContentLoaded", () => {
    const style = document.createElement("style");
    style.textContent = ".program nav, #buttons { opacity: 0 !important; }";
    document.head.append(style);
  }));
  await page.goto(address);
  return { page, said, close: () => context.close() };
}

/** Waits until `done` resolves to something true. */
export async function until(what, page, failures, done) {
  const begin = Date.now();
  for (;;) {
    if (failures.length > 0) throw new Error(failures.join("\n"));
    if (await done()) return (Date.now() - begin) / 1e3;
    if (Date.now() - begin > PATIENCE) throw new Error(`${what}: not after ${PATIENCE / 1e3} s`);
    await page.waitForTimeout(200);
  }
}

/** A picture of the canvas, which needs none of the whole page, and shows what WebGPU draws without a GPU. */
export async function drawn(page, failures = []) {
  let url;
  const asked = page.evaluate(() => new Promise((resolve) => { window.want_picture = resolve; })).then((got) => { url = got; });
  // It may fail when nobody waits for it any more.
  asked.catch(() => {});
  await until("a frame", page, failures, async () => {
    await Promise.race([asked, page.waitForTimeout(200)]);
    return url;
  });
  return Buffer.from(url.split(",")[1], "base64");
}
