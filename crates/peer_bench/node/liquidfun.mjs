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
  constructor(box2d, { columns = 0, rows = 0, width, height, gravity, blocks = [], bars = [] }) {
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
    for (const block of blocks) this.addBlock(block);
    for (const bar of bars) this.addBar(bar);
  }

  /** Flags of matter: plain water is not viscous here, as ours is not. */
  flags(matter) {
    const { box2d } = this;
    return {
      water: box2d.b2_waterParticle,
      sand: box2d.b2_powderParticle,
      honey: box2d.b2_viscousParticle,
      oil: box2d.b2_viscousParticle | box2d.b2_tensileParticle,
      jelly: box2d.b2_elasticParticle,
    }[matter];
  }

  addBlock({ matter, low, columns, rows, points }) {
    const { b2ParticleDef, b2ParticleGroupDef, b2_solidParticleGroup } = this.box2d;
    if (matter === 'jelly') {
      // LiquidFun fills a group by itself; the box is a little larger than the lattice.
      const group = new b2ParticleGroupDef();
      group.set_flags(this.flags(matter));
      group.set_groupFlags(b2_solidParticleGroup);
      const [halfWidth, halfHeight] = [(columns - 1) / 2 + 0.3, (rows - 1) / 2 + 0.3];
      group.set_shape(this.box(halfWidth, halfHeight, 0.5, 0.5));
      group.position.Set(low[0] + (columns - 1) / 2 - this.middle, low[1] + (rows - 1) / 2);
      group.set_stride(1);
      this.particles.CreateParticleGroup(group);
      return;
    }
    const particle = new b2ParticleDef();
    particle.flags = this.flags(matter);
    for (const [x, y] of points) {
      particle.position.Set(x - this.middle, y);
      this.particles.CreateParticle(particle);
    }
  }

  /** The mass of a particle is that of its share of the plane, so water has a density of 1. */
  addBar({ centre, half_size: [halfWidth, halfHeight], density, angular_velocity: speed }) {
    const { b2BodyDef, b2_dynamicBody, b2_kinematicBody } = this.box2d;
    const definition = new b2BodyDef();
    definition.set_type(density > 0 ? b2_dynamicBody : b2_kinematicBody);
    definition.position.Set(centre[0] - this.middle, centre[1]);
    const body = this.world.CreateBody(definition);
    body.CreateFixture(this.box(halfWidth, halfHeight), density || 1);
    if (speed) body.SetAngularVelocity(speed);
  }

  box(halfWidth, halfHeight, x = 0, y = 0) {
    const shape = new this.box2d.b2PolygonShape();
    shape.SetAsBox(halfWidth, halfHeight, new this.box2d.b2Vec2(x, y), 0);
    return shape;
  }

  addWall(x, y, halfWidth, halfHeight) {
    const body = this.world.CreateBody(new this.box2d.b2BodyDef());
    body.CreateFixture(this.box(halfWidth, halfHeight, x, y), 0);
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
