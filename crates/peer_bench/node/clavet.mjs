// Simon Clavet, Philippe Beaudoin and Pierre Poulin 2005, "Particle-based Viscoelastic Fluid
// Simulation", in plain JavaScript: viscosity (Algorithm 5), prediction, double density relaxation
// (Algorithm 2), walls, and velocities from positions. As in the paper, pairs act on positions and
// velocities in place, one after the other.
//
// Lengths are in particle spacings, times in seconds.

/** Interaction radius `h`: about 28 neighbours. */
const RADIUS = 3;
/** `k`, in 1/s^2: as stiff as stays calm at 1/60 s, since fifty rows lie on the lowest one. */
const STIFFNESS = 500;
/** `k_near`, in 1/s^2. */
const NEAR_STIFFNESS = 500;
/** `sigma`, in 1/s: the linear viscosity of pairs that approach each other. */
const LINEAR_VISCOSITY = 5;
/** `beta`, in 1/spacing: the quadratic viscosity of the same pairs. */
const QUADRATIC_VISCOSITY = 0.1;

/** Densities `sum q^2` and `sum q^3` among particles a spacing apart. */
const PLANE_DENSITY = (Math.PI / 6) * RADIUS * RADIUS - 1;
const PLANE_NEAR_DENSITY = (Math.PI / 10) * RADIUS * RADIUS - 1;
/** `rho_0`: where the pull of the density and the push of the near density cancel there. */
const REST_DENSITY = PLANE_DENSITY + 0.4 * (NEAR_STIFFNESS / STIFFNESS) * PLANE_NEAR_DENSITY;

/** Particles sorted into square cells, row by row. */
class Grid {
  /** An interaction radius is `reach` cells: small ones fit the circle better. */
  constructor(width, height, count, reach) {
    this.reach = reach;
    this.cellSize = RADIUS / reach;
    // A margin all around, so that every cell has neighbours on all sides.
    this.columns = Math.floor(width / this.cellSize) + 1 + 2 * reach;
    this.rows = Math.floor(height / this.cellSize) + 1 + 2 * reach;
    // Cell `c` holds the particles `starts[c] .. starts[c + 1]`.
    this.starts = new Int32Array(this.columns * this.rows + 1);
    // The cell of every particle, in the order of the cells and in the original order.
    this.cells = new Int32Array(count);
    this.unsortedCells = new Int32Array(count);
    this.places = new Int32Array(count);
  }

  /** Finds every particle's place in the order of the cells (counting sort). */
  sort(x, y) {
    const { starts, cells, unsortedCells, places, columns, reach, cellSize } = this;
    const count = cells.length;
    starts.fill(0);
    for (let i = 0; i < count; i += 1) {
      const row = reach + ((y[i] / cellSize) | 0);
      const cell = columns * row + reach + ((x[i] / cellSize) | 0);
      unsortedCells[i] = cell;
      starts[cell] += 1;
    }
    // Running sums are the ends of the cells; counting down again makes them the starts.
    for (let cell = 1; cell < starts.length; cell += 1) starts[cell] += starts[cell - 1];
    for (let i = count - 1; i >= 0; i -= 1) {
      const cell = unsortedCells[i];
      starts[cell] -= 1;
      places[i] = starts[cell];
      cells[starts[cell]] = cell;
    }
  }
}

/** A liquid in a box, by double density relaxation. */
class Liquid {
  constructor({ columns, rows, width, height, gravity, cells_per_radius: reach }) {
    const count = columns * rows;
    Object.assign(this, { count, width, height, gravity });
    this.grid = new Grid(width, height, count, reach);
    const array = () => new Float64Array(count);
    [this.x, this.y, this.vx, this.vy] = [array(), array(), array(), array()];
    [this.previousX, this.previousY, this.spare] = [array(), array(), array()];
    for (let i = 0; i < count; i += 1) {
      this.x[i] = (i % columns) + 0.5;
      this.y[i] = Math.floor(i / columns) + 0.5;
    }
    // Neighbours of one particle, kept by the relaxation.
    this.neighbours = new Int32Array(count);
    [this.weights, this.normalX, this.normalY] = [array(), array(), array()];
  }

  step(dt) {
    this.sort(['x', 'y', 'vx', 'vy']);
    this.applyViscosity(dt);
    this.predict(dt);
    this.sort(['x', 'y', 'previousX', 'previousY']);
    this.relaxDensity(dt);
    this.contain();
    this.updateVelocities(dt);
  }

  /** Sorts the particles by cell, so that neighbours lie near each other in memory. */
  sort(names) {
    this.grid.sort(this.x, this.y);
    const { places } = this.grid;
    for (const name of names) {
      const [from, to] = [this[name], this.spare];
      for (let i = 0; i < from.length; i += 1) to[places[i]] = from[i];
      [this[name], this.spare] = [to, from];
    }
  }

  /** Algorithm 5. */
  applyViscosity(dt) {
    const { x, y, vx, vy, count } = this;
    const { starts, cells, columns, reach } = this.grid;
    for (let i = 0; i < count; i += 1) {
      const cell = cells[i];
      // Each pair is visited once: the rest of the own row of cells, then the rows above.
      for (let row = 0; row <= reach; row += 1) {
        const middle = cell + row * columns;
        const end = starts[middle + reach + 1];
        for (let j = row === 0 ? i + 1 : starts[middle - reach]; j < end; j += 1) {
          const dx = x[j] - x[i];
          const dy = y[j] - y[i];
          const squared = dx * dx + dy * dy;
          if (squared >= RADIUS * RADIUS || squared === 0) continue;
          const distance = Math.sqrt(squared);
          const approach = ((vx[i] - vx[j]) * dx + (vy[i] - vy[j]) * dy) / distance;
          if (approach <= 0) continue;
          const q = 1 - distance / RADIUS;
          const impulse =
            dt * q * (LINEAR_VISCOSITY * approach + QUADRATIC_VISCOSITY * approach * approach);
          // Each particle takes half of the impulse, which never exceeds the one that stops the
          // approach.
          const half = 0.5 * Math.min(impulse, approach) / distance;
          vx[i] -= half * dx;
          vy[i] -= half * dy;
          vx[j] += half * dx;
          vy[j] += half * dy;
        }
      }
    }
  }

  /** Gravity, and where the particles would go: Algorithm 1, lines 1 to 10. */
  predict(dt) {
    const { x, y, vx, vy, previousX, previousY, count, gravity } = this;
    for (let i = 0; i < count; i += 1) {
      vy[i] -= dt * gravity;
      previousX[i] = x[i];
      previousY[i] = y[i];
      x[i] += dt * vx[i];
      y[i] += dt * vy[i];
    }
    this.contain();
  }

  /** Algorithm 2. */
  relaxDensity(dt) {
    const { x, y, count, neighbours, weights, normalX, normalY } = this;
    const { starts, cells, columns, reach } = this.grid;
    for (let i = 0; i < count; i += 1) {
      const [xi, yi, cell] = [x[i], y[i], cells[i]];
      let found = 0;
      let density = 0;
      let nearDensity = 0;
      for (let row = -reach; row <= reach; row += 1) {
        const middle = cell + row * columns;
        const end = starts[middle + reach + 1];
        for (let j = starts[middle - reach]; j < end; j += 1) {
          const dx = x[j] - xi;
          const dy = y[j] - yi;
          const squared = dx * dx + dy * dy;
          if (squared >= RADIUS * RADIUS || squared === 0) continue;
          const distance = Math.sqrt(squared);
          const q = 1 - distance / RADIUS;
          density += q * q;
          nearDensity += q * q * q;
          neighbours[found] = j;
          weights[found] = q;
          normalX[found] = dx / distance;
          normalY[found] = dy / distance;
          found += 1;
        }
      }
      // Half of the displacement of a pair goes to each of the two.
      const push = 0.5 * dt * dt * STIFFNESS * (density - REST_DENSITY);
      const nearPush = 0.5 * dt * dt * NEAR_STIFFNESS * nearDensity;
      let movedX = 0;
      let movedY = 0;
      for (let n = 0; n < found; n += 1) {
        const q = weights[n];
        const amount = q * (push + nearPush * q);
        const dx = amount * normalX[n];
        const dy = amount * normalY[n];
        x[neighbours[n]] += dx;
        y[neighbours[n]] += dy;
        movedX -= dx;
        movedY -= dy;
      }
      x[i] = xi + movedX;
      y[i] = yi + movedY;
    }
  }

  /** Puts what has left the box back on its walls. */
  contain() {
    const { x, y, count, width, height } = this;
    for (let i = 0; i < count; i += 1) {
      x[i] = Math.min(Math.max(x[i], 0), width);
      y[i] = Math.min(Math.max(y[i], 0), height);
    }
  }

  /** Algorithm 1, lines 17 to 19. */
  updateVelocities(dt) {
    const { x, y, vx, vy, previousX, previousY, count } = this;
    for (let i = 0; i < count; i += 1) {
      vx[i] = (x[i] - previousX[i]) / dt;
      vy[i] = (y[i] - previousY[i]) / dt;
    }
  }

  state() {
    const { x, y, vx, vy } = this;
    return {
      interaction_radius: RADIUS,
      positions: Array.from(x, (value, i) => [value, y[i]]),
      velocities: Array.from(vx, (value, i) => [value, vy[i]]),
    };
  }
}

export const createSolver = (scene) => new Liquid(scene);
