// Prints the state hash of each of the lab's scenes, as the native program `state_hashes` does.

import { readFileSync } from 'node:fs';

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const { memory, scenes, name, name_length, hash } = instance.exports;
for (let scene = 0; scene < scenes(); scene += 1) {
  const letters = new Uint8Array(memory.buffer, name(scene), name_length(scene));
  // Before the simulation: the memory moves when it grows.
  const text = new TextDecoder().decode(letters);
  console.log(`${text} ${BigInt.asUintN(64, hash(scene)).toString(16).padStart(16, '0')}`);
}
