// The random stream of a run: gpruntime.engine.random, word for word.
struct Stream {
    u64 a, b, c, counter;
};

INLINED u64 word(Stream& s) {
    u64 out = s.a + s.b + s.counter;
    s.counter += 1;
    s.a = s.b ^ (s.b >> 11);
    s.b = s.c + (s.c << 3);
    s.c = ((s.c << 24) | (s.c >> 40)) + out;
    return out;
}

// Lemire's method on the upper 32 bits of a word.
INLINED u32 below(Stream& s, u32 bound) {
    u64 product = (u64)(u32)(word(s) >> 32) * bound;
    if ((u32)product < bound) {
        u32 threshold = (0u - bound) % bound;  // 2³² mod bound
        while ((u32)product < threshold) product = (u64)(u32)(word(s) >> 32) * bound;
    }
    return (u32)(product >> 32);
}

INLINED Kind kind_of(const Law& law, u64 drawn) {
    u64 bits = drawn >> 11;
    return (Kind)((bits >= law.first) + (bits >= law.second));
}

// The first state of SFC64 for a run. All of its address but its number has been mixed into the pool before.
INLINED Stream seeded(const Law& law, u32 run) {
    const u32 MULT_A = 0x931E8875u, INIT_B = 0x8B51F9DDu, MULT_B = 0x58F38DEDu;
    u32 pool[4], constant = law.constant;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        u32 value = run ^ constant;
        constant *= MULT_A;
        value *= constant;
        value ^= value >> 16;
        value = 0xCA01F9DDu * law.pool[i] - 0x4973F715u * value;
        pool[i] = value ^ (value >> 16);
    }
    u32 words[6];
    constant = INIT_B;
#pragma unroll
    for (int i = 0; i < 6; i++) {
        u32 value = pool[i & 3] ^ constant;
        constant *= MULT_B;
        value *= constant;
        words[i] = value ^ (value >> 16);
    }
    Stream s = {words[0] | (u64)words[1] << 32, words[2] | (u64)words[3] << 32, words[4] | (u64)words[5] << 32, 1};
    for (int i = 0; i < 12; i++) word(s);
    return s;
}
