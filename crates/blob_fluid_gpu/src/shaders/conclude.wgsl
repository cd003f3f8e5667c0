// Merges the spreads of the work groups of `summarise` into one. One work group.

@group(0) @binding(1) var<storage, read> partial: array<Spread>;
@group(0) @binding(2) var<storage, read_write> tallies: Tallies;

@compute @workgroup_size(256)
fn conclude(@builtin(local_invocation_index) local: u32) {
    var spread = spread_of_none();
    let length = (params.count + 2047u) / 2048u;
    for (var index = local; index < length; index += 256u) {
        spread = merged(spread, partial[index]);
    }
    let all_of_them = merge_workgroup(local, spread);
    if local == 0u { tallies.spread = all_of_them; }
}
