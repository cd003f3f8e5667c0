// The counts for the host's reports. `spread`, `compressed`, `awake`, `heated`, `oldest`, `in_one`,
// `in_two` and `classes` restart in each tick; the others count from the beginning on.

struct Tallies {
    quarantined: atomic<u32>,
    out_of_bounds: atomic<u32>,
    expired: atomic<u32>,
    drained: atomic<u32>,
    spread: Spread,
    recycled: atomic<u32>,
    // Number of particles that a drain, or recycling, has found.
    found: atomic<u32>,
    // Number of compressed particles.
    compressed: atomic<u32>,
    // Number of particles that do not sleep.
    awake: atomic<u32>,
    // Number of particles in tiles in which heat changed a temperature.
    heated: atomic<u32>,
    // The complement of the lowest id in play.
    oldest: atomic<u32>,
    // Largest number of particles of a column, and of two adjacent columns.
    in_one: atomic<u32>,
    in_two: atomic<u32>,
    // Number of particles in play, by class.
    classes: array<atomic<u32>, 256>,
    // Number of drained particles, by class and channel.
    channels: array<array<atomic<u32>, 64>, 256>,
}
