// How MAJORITY lies in memory: gpruntime.gpu.layout.counts_layout, without shared memory.
static void lay_out(Law& law, u32 room, u32& tree, u32& seedling) {
    u32 counts = STRICT ? 4 : 0, in_register = (counts + law.n + 1 + 3) / 4 * 4;
    u32 end = in_register + (room + 2) / 2;
    law.places[CLASSES] = 0, law.places[COUNTS] = counts, law.places[REGISTER] = in_register, law.places[END] = end;
    tree = (end + 7) / 8 * 8;
    seedling = (in_register + (law.planted + 1) / 2 + 7) / 8 * 8;
}
