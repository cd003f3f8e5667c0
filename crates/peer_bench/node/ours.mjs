// Our own liquid as WebAssembly with SIMD instructions: `crates/on_every_target`.

import { readFileSync } from 'node:fs';

export const createSolver = async ({ module, setting, kind, columns }) => {
  const { instance } = await WebAssembly.instantiate(readFileSync(module), {});
  const liquid = instance.exports;
  liquid.start(setting, kind === 'dam' ? 1 : 0, columns);
  const pairs = (address) => {
    const count = liquid.particles();
    const numbers = new Float32Array(liquid.memory.buffer, address, 2 * count);
    return Array.from({ length: count }, (_, i) => [numbers[2 * i], numbers[2 * i + 1]]);
  };
  return {
    step: () => liquid.frames(1),
    state: () => ({
      interaction_radius: liquid.interaction_radius(),
      positions: pairs(liquid.positions()),
      velocities: pairs(liquid.velocities()),
    }),
  };
};
