// What is reported to the host. All but `spread`, `compressed`, `awake`, `heated`, `oldest`, `in_one`, `in_two` and `classes` counts from the beginning on.

struct Tallies {
    quarantined: atomic<u32>,
    out_of_bounds: atomic<u32>,
    expired: atomic<u32>,
    drained: atomic<u32>,
    spread: Spread,
    recycled: atomic<u32>,
    // Particles that a drain, or recycling, has found.
    found: atomic<u32>,
    // Particles that are compressed.
    compressed: atomic<u32>,
    // Particles that do not sleep.
    awake: atomic<u32>,
    // Particles in tiles where heat changed a temperature.
    heated: atomic<u32>,
    // The complement of the lowest id in play.
    oldest: atomic<u32>,
    // Most particles of a column, and of two beside each other.
    in_one: atomic<u32>,
    in_two: atomic<u32>,
    // Particles in play, by class.
    classes: array<atomic<u32>, 256>,
    // Drained particles, by class and channel.
    channels: array<array<atomic<u32>, 64>, 256>,
}
