// Air in plain JavaScript with typed arrays, as tutorials write it: a staggered grid, pressure by Gauss
// and Seidel's sweeps with over-relaxation over the velocities themselves, and semi-Lagrangian advection.
// The scene: `rows`, and the `residual` at which the sweeps end. It is the chimney of `src/air.rs`.

const OVER_RELAXATION = 1.9;
/// Sweeps between two looks at the divergence, which cost about half a sweep each.
const STRIDE = 20;
const MOST_SWEEPS = 20000;

export const createSolver = async ({ rows, residual }) => {
  const n = rows;
  const h = 1 / n;
  const gravity = 2;
  const stride = n + 1;
  const size = stride * (n + 1);
  // Cell (i, j) has its left face in u and its lower face in v at the same index.
  // With half as many digits the sweeps would not reach the residual: velocities are their sums.
  const make = () => new Float64Array(size);
  let [u, v, smoke, heat] = [make(), make(), make(), make()];
  let [nextU, nextV, nextSmoke, nextHeat] = [make(), make(), make(), make()];
  let sweeps = 0;

  const source = (dt) => {
    for (let j = 0; j < n; j += 1) {
      for (let i = 0; i < n; i += 1) {
        const x = (i + 0.5) * h - 0.5;
        const y = (j + 0.5) * h - 0.1;
        if (x * x + y * y < 0.0025) {
          smoke[j * stride + i] += 2 * dt;
          heat[j * stride + i] += 3 * dt;
        }
      }
    }
  };

  const force = (dt) => {
    for (let j = 1; j <= n; j += 1) {
      for (let i = 0; i < n; i += 1) {
        const above = j < n ? j : n - 1;
        const warm = 0.5 * (heat[(j - 1) * stride + i] + heat[above * stride + i]);
        const thick = 0.5 * (smoke[(j - 1) * stride + i] + smoke[above * stride + i]);
        v[j * stride + i] += dt * gravity * (warm - 0.1 * thick);
      }
    }
  };

  const divergence = () => {
    let sum = 0;
    for (let j = 0; j < n; j += 1) {
      for (let i = 0; i < n; i += 1) {
        const at = j * stride + i;
        const out = u[at + 1] - u[at] + v[at + stride] - v[at];
        sum += out * out;
      }
    }
    return Math.sqrt(sum / (n * n));
  };

  // Closed at the left, the right and below; open above.
  const project = () => {
    for (let j = 0; j < n; j += 1) {
      u[j * stride] = 0;
      u[j * stride + n] = 0;
    }
    for (let i = 0; i < n; i += 1) v[i] = 0;
    const enough = residual * divergence();
    for (sweeps = 0; sweeps < MOST_SWEEPS; sweeps += 1) {
      if (sweeps % STRIDE === 0 && divergence() <= enough) return;
      for (let j = 0; j < n; j += 1) {
        const below = j > 0 ? 1 : 0;
        for (let i = 0; i < n; i += 1) {
          const at = j * stride + i;
          const left = i > 0 ? 1 : 0;
          const right = i < n - 1 ? 1 : 0;
          const out = u[at + 1] - u[at] + v[at + stride] - v[at];
          const push = (OVER_RELAXATION * out) / (left + right + below + 1);
          u[at] += left * push;
          u[at + 1] -= right * push;
          v[at] += below * push;
          v[at + stride] -= push;
        }
      }
    }
  };

  const sample = (list, x, y, columns, count) => {
    const cx = x < 0 ? 0 : x > columns - 1 ? columns - 1 : x;
    const cy = y < 0 ? 0 : y > count - 1 ? count - 1 : y;
    const i = Math.min(cx | 0, columns - 2);
    const j = Math.min(cy | 0, count - 2);
    const fx = cx - i;
    const fy = cy - j;
    const at = j * stride + i;
    return (
      (1 - fy) * ((1 - fx) * list[at] + fx * list[at + 1]) +
      fy * ((1 - fx) * list[at + stride] + fx * list[at + stride + 1])
    );
  };

  const advect = (dt) => {
    const way = dt * n;
    for (let j = 0; j < n; j += 1) {
      for (let i = 0; i <= n; i += 1) {
        const at = j * stride + i;
        const across = sample(v, i - 0.5, j + 0.5, n, n + 1);
        nextU[at] = sample(u, i - way * u[at], j - way * across, n + 1, n);
      }
    }
    for (let j = 0; j <= n; j += 1) {
      for (let i = 0; i < n; i += 1) {
        const at = j * stride + i;
        const across = sample(u, i + 0.5, j - 0.5, n + 1, n);
        nextV[at] = sample(v, i - way * across, j - way * v[at], n, n + 1);
      }
    }
    for (let j = 0; j < n; j += 1) {
      for (let i = 0; i < n; i += 1) {
        const at = j * stride + i;
        const x = i - way * 0.5 * (u[at] + u[at + 1]);
        const y = j - way * 0.5 * (v[at] + v[at + stride]);
        nextSmoke[at] = sample(smoke, x, y, n, n);
        nextHeat[at] = sample(heat, x, y, n, n);
      }
    }
    [u, nextU] = [nextU, u];
    [v, nextV] = [nextV, v];
    [smoke, nextSmoke] = [nextSmoke, smoke];
    [heat, nextHeat] = [nextHeat, heat];
  };

  return {
    step: (dt) => {
      source(dt);
      force(dt);
      project();
      advect(dt);
    },
    state: () => ({ interaction_radius: h, positions: [], velocities: [], sweeps }),
  };
};
