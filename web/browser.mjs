// A headless Chromium, and a server of files for it.

import { createServer } from "node:http";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const TYPES = {
  ".css": "text/css", ".html": "text/html", ".jpg": "image/jpeg", ".js": "text/javascript", ".wasm": "application/wasm",
};
// What draws in software: no GPU is asked for.
const DRAWING = [
  "--no-sandbox",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--ignore-gpu-blocklist",
];

/** The path of the browser: the one that CHROMIUM names, or one of these. */
function executable() {
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const places = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  const found = process.env.CHROMIUM ?? places.find((place) => existsSync(place));
  if (!found) throw new Error("no Chromium found; name one in CHROMIUM");
  return found;
}

/** Starts Chromium, by the Playwright that is installed in the folder `cache`. */
export function launch(cache, more = []) {
  const { chromium } = createRequire(path.join(cache, "package.json"))("playwright-core");
  return chromium.launch({ executablePath: executable(), args: [...DRAWING, ...more] });
}

/** Serves a folder to this machine only; resolves to the server and its address. */
export async function serve(root) {
  const server = createServer(async (request, response) => {
    const wanted = decodeURIComponent(new URL(request.url, "http://here").pathname);
    const file = path.join(root, path.normalize(wanted.endsWith("/") ? `${wanted}index.html` : wanted));
    try {
      const body = await readFile(file);
      const type = TYPES[path.extname(file)] ?? "text/plain";
      response.writeHead(200, { "content-type": type, "content-length": body.length });
      response.end(body);
    } catch {
      response.writeHead(404, { "content-type": "text/plain" });
      response.end(`there is no ${wanted}`);
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, address: `http://127.0.0.1:${server.address().port}` };
}
