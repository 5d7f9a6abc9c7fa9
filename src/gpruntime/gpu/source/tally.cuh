// Results added up where they are: gpruntime.engine.summary says what, and what the bins are.
enum { EVALUATIONS = 4, TOTAL, LOW_SQUARES, MIXED, HIGH_SQUARES, HUGE_TIMES, SUMS };

struct Tally {
    const i64* out;   // rows of OUT_WIDTH
    u64* sums;        // outcomes, then as above; the total and the squares are of runs that reached the optimum
    u64* histogram;   // of those, too
    u32* extremes;    // how many rows have a time outside of `least` … `most`, then which, as far as there is room
    i64 least, most;
    u32 rows, room, bins, unused;
};

INLINED u32 bin_of(u64 time) {
    time = smaller(time, (u64)((1ull << 53) - 1));
#if ON_DEVICE
    int exponent = 63 - __clzll((i64)(time | 1));
#else
    int exponent = 63 - __builtin_clzll(time | 1);
#endif
    u32 above = exponent > 6 ? exponent - 6 : 0;
    return 64 * above + (u32)(time >> above);
}

// Adds a row to the sums; returns its bin, or −1.
INLINED i32 add_row(const Tally& tally, u32 row, u64* sums) {
    const i64* result = tally.out + (u64)row * OUT_WIDTH;
    i64 outcome = result[0], time = result[1];
#pragma unroll
    for (int i = 0; i < 4; i++) sums[i] += outcome == i;
    sums[EVALUATIONS] += time;
    if (time < tally.least || time > tally.most) {
        u32 place = take_next(tally.extremes);
        if (place < tally.room) tally.extremes[1 + place] = row;
    }
    if (outcome != OPTIMUM) return -1;
    u64 low = time & 0xffff, high = time >> 16;
    sums[TOTAL] += time, sums[LOW_SQUARES] += low * low, sums[MIXED] += low * high, sums[HIGH_SQUARES] += high * high;
    sums[HUGE_TIMES] += time >> 36 != 0;
    return bin_of(time);
}
