// Runs, one a lane at a time: gpruntime.engine.stepping and its frame. A lane whose run has ended takes the next one from
// a queue, so one long run holds nobody. A launch is a slice: lanes stop after so many offspring, and what they have come
// to waits in global memory for the next launch.

// Where a run stands between two slices.
struct Lane {
    Stream s;
    i64 row;  // of the run in the results; −1 for none
    i64 evaluations, fitness, leaves, max_leaves, proposed[3], accepted[3];
    i64 unused;
};

// A run that has not begun: what it needs besides its tree. Its tree follows, as it stands in a lane's memory.
struct alignas(16) Seedling {
    Stream s;
    u32 leaves;
    i32 fitness;
    u32 full;
    u32 unused;
};
#define SEEDLING_WORDS (sizeof(Seedling) / 4)

struct Job {
    Lane* lanes;
    u32* trees;          // rows of `tree_words`, one a lane
    u32* seedlings;      // rows of `seedling_words`, one a run
    i32* scratch;        // rows of `scratch_words`, one a lane, to plant with
    i64* out;            // rows of OUT_WIDTH, one a run: gpruntime.engine.columns
    u32* queue;          // the next run; and how many have ended
    const u32* numbers;  // of the runs; null if they are first, first + 1, …
    u32 first, runs;
    u32 number_of_lanes;
    u32 steps;           // offspring of a lane in this slice, at most
    u32 tree_words, seedling_words, scratch_words;
    u32 unused;
};
#define OUT_WIDTH 11

// ---- planting: every lane plants its share of the runs

INLINED void plant_runs(const Law& law, const Job& job, u32 block, u32 lane, u32* shared) {
    u32 id = block * LANES + lane;
    for (u32 run = id; run < job.runs; run += job.number_of_lanes) {
        u32* row = job.seedlings + (u64)run * job.seedling_words;
        Seedling seedling;
        seedling.s = seeded(law, job.numbers ? job.numbers[run] : job.first + run);
        Tree tree(law, row + SEEDLING_WORDS, shared, lane);
        i32* scratch = job.scratch + (u64)id * job.scratch_words;
        seedling.leaves = tree.plant(law, scratch, seedling.s, seedling.fitness);
        seedling.full = tree.is_full();
        seedling.unused = 0;
        *(Seedling*)row = seedling;
        Tree::save(law, row + SEEDLING_WORDS, shared, lane, seedling.leaves);
    }
}

// ---- an offspring

// What the counters of a lane hold since its run began or the slice did.
struct Counters {
    u32 proposed[3], accepted[3];
};

#define EACH_KIND _Pragma("unroll") for (int i = 0; i < 3; i++)

#if MULTI
// k operations, made one after the other. Returns whether they are accepted.
INLINED bool offspring(const Law& law, Tree& tree, Stream& s, u32& leaves, i32& fitness, Counters& counters) {
    Entry log[MOST];
    u32 operations = law.fewest, new_leaves = leaves;
    if (law.drawn) {
        u64 bits = word(s) >> 11;
        while (bits >= law.sizes[operations - law.fewest]) operations += 1;
    }
    i32 gain = 0;
    for (u32 j = 0; j < operations; j++) {
        Kind kind = kind_of(law, word(s));
        i32 site = -1, side = -1, code = -1;
        EACH_KIND counters.proposed[i] += kind == (u32)i;
        if (kind == INSERT) {
            if (new_leaves > 0) {
                u32 place = below(s, 4 * new_leaves - 2);
                site = place >> 1, side = place & 1;
            }
            code = below(s, 2 * law.n);
        } else if (new_leaves > 0) {
            site = below(s, law.nodes && kind == SUBSTITUTE ? 2 * new_leaves - 1 : new_leaves);
            if (kind == SUBSTITUTE && site < (i32)new_leaves) code = below(s, 2 * law.n);
        }
        gain += tree.make(law, new_leaves, kind, site, side, code, log[j]);
        new_leaves += kind == INSERT ? 1 : kind == DELETE && can_delete(law, new_leaves) ? -1 : 0;
    }
    bool accepted = new_leaves <= law.limit && gain >= law.least[(i32)law.most + (i32)new_leaves - (i32)leaves];
    if (accepted) {
        for (u32 j = 0; j < operations; j++) EACH_KIND counters.accepted[i] += log[j].kind == (u32)i;
        leaves = new_leaves;
        fitness += gain;
    } else {
        for (u32 j = operations; j-- > 0;) new_leaves = tree.undo(law, new_leaves, log[j]);
    }
    return accepted;
}
#else
// One operation. The three words it may take are drawn ahead, and its kind selects how many of them count. Where a draw
// has to be repeated, which is rare, all is drawn again the slow way.
INLINED bool offspring(const Law& law, Tree& tree, Stream& s, u32& leaves, i32& fitness, Counters& counters) {
    u32 codes = 2 * law.n, place = 0, code = 0;
    bool vain = false;
#if DIALECT
    Kind kind = kind_of(law, word(s));
    if (kind == INSERT) {
        if (leaves > 0) place = below(s, 4 * leaves - 2);
        code = below(s, codes);
    } else if (leaves > 0) {
        place = below(s, law.nodes && kind == SUBSTITUTE ? 2 * leaves - 1 : leaves);
        if (kind == SUBSTITUTE && place < leaves) code = below(s, codes);
        vain = kind == SUBSTITUTE ? place >= leaves : !can_delete(law, leaves);
    } else {
        vain = true;
    }
#else
    Stream before = s;
    Kind kind = kind_of(law, word(s));
    u32 places = kind == INSERT ? 4 * leaves - 2 : leaves;
    u64 product = (u64)(u32)(word(s) >> 32) * places;
    Stream ahead = s;
    u64 other = (u64)(u32)(word(ahead) >> 32) * codes;
    bool again = (u32)product < places;
    if (kind != DELETE) {
        s = ahead;
        again |= (u32)other < codes;
    }
    place = (u32)(product >> 32), code = (u32)(other >> 32);
    if (again) {
        s = before;
        word(s);
        place = below(s, places);
        if (kind != DELETE) code = below(s, codes);
    }
    vain = kind == DELETE && leaves == 1;
#endif
    i32 side = DIALECT && leaves == 0 ? -1 : (i32)(place & 1);
    if (kind == INSERT) place >>= 1;
    i32 least = kind == INSERT ? law.grow : kind == DELETE && !vain ? law.shrink : law.same;
    if (kind == INSERT && leaves >= law.limit) least = NO_LIMIT;
    i32 gain = tree.attempt(law, leaves, kind, vain, place, side, code, least);
    bool accepted = gain >= least;
    EACH_KIND counters.proposed[i] += kind == (u32)i;
    if (accepted) {
        EACH_KIND counters.accepted[i] += kind == (u32)i;
        leaves += kind == INSERT ? 1 : kind == DELETE && !vain ? -1 : 0;
        fitness += gain;
    }
    return accepted;
}
#endif

// ---- a slice

INLINED void write_result(i64* row, i32 outcome, const Lane& lane) {
    row[0] = outcome, row[1] = lane.evaluations, row[2] = lane.fitness, row[3] = lane.leaves, row[4] = lane.max_leaves;
    EACH_KIND {
        row[5 + i] = lane.proposed[i];
        row[8 + i] = lane.accepted[i];
    }
}

INLINED void advance_lane(const Law& law, const Job& job, u32 block, u32 number, u32* shared) {
    u32 id = block * LANES + number;
    Lane* saved = job.lanes + id;
    u32* row = job.trees + (u64)id * job.tree_words;
    Tree tree(law, row, shared, number);
    Stream s = saved->s;
    i32 run = (i32)saved->row, fitness = (i32)saved->fitness;
    u32 leaves = (u32)saved->leaves, max_leaves = (u32)saved->max_leaves;
    Counters counters = {};
    bool resumed = run >= 0, changed = false;
    // Offspring that may still be made: `steps` in this slice, `left` until the slice or the run's budget ends.
    u32 steps = job.steps, left = 0, given = 0;
    if (resumed) {
        Tree::load(law, row, row, shared, number, leaves);
        given = left = (u32)smaller((i64)steps, law.budget - saved->evaluations);
    }
    bool look = true;
    for (;;) {
        if (look) {
            bool ended = run < 0;
            if (!ended) {
                i64 evaluations = (resumed ? saved->evaluations : 1) + (given - left);
                bool outgrown = tree.is_full() || leaves + law.most > law.room;
                i32 outcome = tree.is_full()                                               ? OUTGROWN
                              : fitness >= (i32)law.best                                   ? OPTIMUM
                              : law.can_stick && changed && tree.is_stuck(law, leaves, fitness) ? STUCK
                              : evaluations >= law.budget                                  ? BUDGET
                              : outgrown                                                   ? OUTGROWN
                                                                                           : UNDECIDED;
                ended = outcome != UNDECIDED;
                if (ended || given - left == steps) {
                    Lane now = {};
                    if (resumed) now = *saved;
                    now.s = s, now.row = run, now.evaluations = evaluations;
                    now.fitness = fitness, now.leaves = leaves, now.max_leaves = max_leaves;
                    EACH_KIND now.proposed[i] += counters.proposed[i];
                    EACH_KIND now.accepted[i] += counters.accepted[i];
                    if (!ended) {
                        *saved = now;
                        break;
                    }
                    write_result(job.out + (i64)run * OUT_WIDTH, outcome, now);
                    take_next(job.queue + 1);
                    steps -= given - left;
                    resumed = false;
                }
            }
            if (ended) {
                run = -1;
                u32 next = steps > 0 ? take_next(job.queue) : job.runs;
                if (next >= job.runs) {
                    saved->row = -1;
                    break;
                }
                run = (i32)next;
                const u32* from = job.seedlings + (u64)next * job.seedling_words;
                Seedling seedling = *(const Seedling*)from;
                s = seedling.s, fitness = seedling.fitness, leaves = max_leaves = seedling.leaves;
                tree.full = seedling.full;
                Tree::load(law, row, from + SEEDLING_WORDS, shared, number, leaves);
                counters = {};
                given = left = (u32)smaller((i64)steps, law.budget - 1);
                changed = true;
                bool over = tree.is_full() || fitness >= (i32)law.best || left == 0 || law.can_stick;
                if (over || leaves + law.most > law.room) continue;
            }
        }
        changed = offspring(law, tree, s, leaves, fitness, counters);
        max_leaves = larger(max_leaves, leaves);
        left -= 1;
        look = fitness >= (i32)law.best || left == 0 || leaves + law.most > law.room || tree.is_full();
        look |= law.can_stick && changed;
    }
    if (run >= 0) Tree::save(law, row, shared, number, leaves);
}
