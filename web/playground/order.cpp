// How ORDER lies in memory: gpruntime.gpu.layout.planted_layout.
static u32 aligned(u32 words) { return (words + 7) / 8 * 8; }

static void lay_out(Law& law, u32 room, u32& tree, u32& seedling) {
    const u32 join = sizeof(Join) / 4, leaf = sizeof(Leaf) / 4;
    u32 first = 4, in_register = aligned(first + law.n), joins = aligned(in_register + 2 * room);
    u32 leaves = aligned(joins + (room + 1) * join);
    law.places[FIRST] = first, law.places[REGISTER] = in_register, law.places[JOINS] = joins, law.places[LEAVES] = leaves;
    tree = aligned(leaves + (room + 1) * leaf);
    seedling = aligned(leaves + (law.planted + 1) * leaf);
}
