// A peer as a process of its own: `node peer.mjs SOLVER` reads a scene, and then answers one line of
// JSON for every line it reads. `frames N` takes N frames and returns the seconds that they took; `state` returns
// the positions and velocities of the particles. The end of the input ends the process.
//
// The scene is a line of JSON: `columns`, `rows`, `width` and `height` of the box in spacings, `gravity`
// (downwards, in spacings per second squared), `frame` (in seconds), and `cells_per_radius` of the
// grid, for solvers that can choose. LiquidFun also takes `blocks` and `bars` (`src/mixed.rs`).

import { createInterface } from 'node:readline';

const [solverName] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const scene = JSON.parse((await lines.next()).value);
const { createSolver } = await import(`./${solverName}.mjs`);
const solver = await createSolver(scene);

const answers = {
  frames(count) {
    const start = performance.now();
    for (let frame = 0; frame < Number(count); frame += 1) solver.step(scene.frame);
    return { seconds: (performance.now() - start) / 1000 };
  },
  state: () => solver.state(),
};

for await (const line of lines) {
  const [command, ...args] = line.trim().split(' ');
  process.stdout.write(`${JSON.stringify(answers[command](...args))}\n`);
}
