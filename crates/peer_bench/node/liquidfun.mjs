// LiquidFun (Google's particles for Box2D) as WebAssembly with SIMD instructions. Lengths are in
// particle spacings, times in seconds.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/**
 * Diameter of a particle. LiquidFun is at rest where `sum (1 - r/diameter)` is 1: in a square
 * lattice that is 0.75 diameters apart, its own `b2_particleStride`.
 */
const DIAMETER = 1 / 0.75;
const PARTICLE_ITERATIONS = 3;
/** What Box2D's manual recommends for bodies; here there are none that move. */
const VELOCITY_ITERATIONS = 8;
const POSITION_ITERATIONS = 3;
/** Thickness of the walls. */
const WALL = 10;

/** The SIMD build. The binary is read here: its own loader fetches a path as if it were a URL. */
const load = () => {
  const folder = dirname(require.resolve('liquidfun-wasm'));
  const createBox2d = require(join(folder, 'Box2D.simd.js'));
  return createBox2d({ wasmBinary: readFileSync(join(folder, 'Box2D.simd.wasm')) });
};

class Liquid {
  constructor(box2d, { columns, rows, width, height, gravity }) {
    this.box2d = box2d;
    // The middle of the floor is the origin: LiquidFun represents positions up to 2048 diameters on
    // either side of it, and the widest box is wider than that in total.
    this.middle = 0.5 * width;
    this.world = new box2d.b2World(new box2d.b2Vec2(0, -gravity));
    this.addWall(0, -0.5 * WALL, this.middle + WALL, 0.5 * WALL);
    this.addWall(0, height + 0.5 * WALL, this.middle + WALL, 0.5 * WALL);
    this.addWall(-this.middle - 0.5 * WALL, 0.5 * height, 0.5 * WALL, 0.5 * height);
    this.addWall(this.middle + 0.5 * WALL, 0.5 * height, 0.5 * WALL, 0.5 * height);
    const system = new box2d.b2ParticleSystemDef();
    system.radius = 0.5 * DIAMETER;
    this.particles = this.world.CreateParticleSystem(system);
    const particle = new box2d.b2ParticleDef();
    particle.flags = box2d.b2_waterParticle | box2d.b2_viscousParticle;
    for (let i = 0; i < columns * rows; i += 1) {
      const [x, y] = [(i % columns) + 0.5 - this.middle, Math.floor(i / columns) + 0.5];
      particle.position.Set(x, y);
      this.particles.CreateParticle(particle);
    }
  }

  addWall(x, y, halfWidth, halfHeight) {
    const { b2BodyDef, b2PolygonShape, b2Vec2 } = this.box2d;
    const body = this.world.CreateBody(new b2BodyDef());
    const shape = new b2PolygonShape();
    shape.SetAsBox(halfWidth, halfHeight, new b2Vec2(x, y), 0);
    body.CreateFixture(shape, 0);
  }

  step(dt) {
    this.world.Step(dt, VELOCITY_ITERATIONS, POSITION_ITERATIONS, PARTICLE_ITERATIONS);
  }

  /** Pairs of numbers in the memory of the WebAssembly. */
  pairs(vector) {
    const { HEAPF32: memory, getPointer } = this.box2d;
    const start = getPointer(vector) / memory.BYTES_PER_ELEMENT;
    const pair = (_, i) => [memory[start + 2 * i], memory[start + 2 * i + 1]];
    return Array.from({ length: this.particles.GetParticleCount() }, pair);
  }

  state() {
    const positions = this.pairs(this.particles.GetPositionBuffer());
    return {
      interaction_radius: DIAMETER,
      positions: positions.map(([x, y]) => [x + this.middle, y]),
      velocities: this.pairs(this.particles.GetVelocityBuffer()),
    };
  }
}

export const createSolver = async (scene) => new Liquid(await load(), scene);
