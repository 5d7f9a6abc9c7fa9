// Runs, one a lane at a time: gpruntime.engine.stepping and its main_loop. A lane whose run has ended takes the next one from
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
    u32* scratch;        // `scratch_words` a planter, the numbers of a block interleaved
    i64* out;            // rows of OUT_WIDTH, one a run: gpruntime.engine.columns
    u32* queue;          // the next run; and how many have ended
    const u32* numbers;  // of the runs; null if they are first, first + 1, …
    u32 first, runs;
    u32 number_of_lanes;
    u32 steps;           // offspring of a lane in this slice, at most
    u32 tree_words, seedling_words, scratch_words;
    u32 number_of_planters;
};
#define OUT_WIDTH 11

// ---- planting: every planter plants its share of the runs

INLINED void plant_runs(const Law& law, const Job& job, u32 block, u32 planter, u32* shared) {
    u32 id = block * PLANTERS + planter;
    for (u32 run = id; run < job.runs; run += job.number_of_planters) {
        u32* row = job.seedlings + (u64)run * job.seedling_words;
        Seedling seedling;
        seedling.s = seeded(law, job.numbers ? job.numbers[run] : job.first + run);
        Tree tree(law, row + SEEDLING_WORDS, shared, planter);
        Scratch scratch = {(Number*)(job.scratch + (u64)block * PLANTERS * job.scratch_words) + planter};
        seedling.leaves = tree.plant(law, scratch, seedling.s, seedling.fitness);
        seedling.full = tree.is_full();
        seedling.unused = 0;
        *(Seedling*)row = seedling;
        Tree::save(law, row + SEEDLING_WORDS, shared, planter, seedling.leaves);
    }
}

// ---- an offspring

#define EACH_KIND _Pragma("unroll") for (int i = 0; i < 3; i++)

// Operations by kind since a lane last wrote them down, which is at the latest after MOST_UNWRITTEN offspring.
#define MOST_UNWRITTEN 65535u
#if MULTI
struct Counters {
    u32 proposed[3], accepted[3];
    MEMBER void add_to(Lane& lane, u32) const {
        EACH_KIND lane.proposed[i] += proposed[i];
        EACH_KIND lane.accepted[i] += accepted[i];
    }
};
#else
// Insertions in the lower half, deletions in the upper one; the others are substitutions.
struct Counters {
    u32 proposed, accepted, substituted;
    MEMBER void count(bool inserts, bool deletes, bool is_accepted) {
        u32 one = inserts ? 1u : deletes ? 0x10000u : 0u;
        proposed += one;
        accepted += is_accepted ? one : 0u;
        substituted += is_accepted && one == 0u;
    }
    MEMBER void add_to(Lane& lane, u32 offspring) const {
        u32 insertions = proposed & 0xffff, deletions = proposed >> 16;
        lane.proposed[SUBSTITUTE] += offspring - insertions - deletions, lane.accepted[SUBSTITUTE] += substituted;
        lane.proposed[INSERT] += insertions, lane.accepted[INSERT] += accepted & 0xffff;
        lane.proposed[DELETE] += deletions, lane.accepted[DELETE] += accepted >> 16;
    }
};
#endif

#if MULTI
// k operations, made one after the other. Returns whether they are accepted.
INLINED bool offspring(const Law& law, Tree& tree, Stream& s, u32 codes, u32& leaves, i32& fitness, Counters& counters) {
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
            code = below(s, codes);
        } else if (new_leaves > 0) {
            site = below(s, law.nodes && kind == SUBSTITUTE ? 2 * new_leaves - 1 : new_leaves);
            if (kind == SUBSTITUTE && site < (i32)new_leaves) code = below(s, codes);
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
// One operation, and what became of it.
INLINED bool make_offspring(const Law& law, Tree& tree, bool inserts, bool deletes, bool vain, u32 place, u32 code,
                            u32& leaves, i32& fitness, Counters& counters) {
    i32 side = DIALECT && leaves == 0 ? -1 : (i32)(place & 1);
    if (inserts) place >>= 1;
    i32 least = inserts ? LEAST_GROWING : deletes && !vain ? LEAST_SHRINKING : LEAST_SAME;
    if (DIALECT && inserts && leaves >= law.limit) least = NO_LIMIT;
    i32 gain = tree.attempt(leaves, inserts, deletes, vain, place, side, code, least);
    bool accepted = gain >= least;
    counters.count(inserts, deletes, accepted);
    u32 growth = inserts ? 1u : deletes && !vain ? ~0u : 0u;
    leaves += accepted ? growth : 0u;
    fitness += accepted ? gain : 0;
    return accepted;
}

// As the stream has it: draws are repeated where they must be, and an operation may be in vain.
INLINED bool any_offspring(const Law& law, Tree& tree, Stream& s, u32 codes, u32& leaves, i32& fitness, Counters& counters) {
    Kind kind = kind_of(law, word(s));
    u32 place = 0, code = 0;
    bool vain = false;
    if (kind == INSERT) {
        if (leaves > 0) place = below(s, 4 * leaves - 2);
        code = below(s, codes);
    } else if (leaves > 0) {
        place = below(s, DIALECT && law.nodes && kind == SUBSTITUTE ? 2 * leaves - 1 : leaves);
        if (kind == SUBSTITUTE && place < leaves) code = below(s, codes);
        vain = kind == SUBSTITUTE ? place >= leaves : !can_delete(law, leaves);
    } else {
        vain = true;
    }
    return make_offspring(law, tree, kind == INSERT, kind == DELETE, vain, place, code, leaves, fitness, counters);
}

#if DIALECT
#define offspring any_offspring
#else
// All three words that an operation may take are drawn ahead, and its kind selects how many of them count. Where that is not
// so, which is rare, it is drawn as the stream has it.
INLINED bool offspring(const Law& law, Tree& tree, Stream& s, u32 codes, u32& leaves, i32& fitness, Counters& counters) {
    Stream two = s;
    u64 bits = word(two) >> 11;
    bool deletes = bits >= law.second, inserts = bits >= law.first && !deletes;
    u32 places = inserts ? 4 * leaves - 2 : leaves;
    u64 place = (u64)(u32)(word(two) >> 32) * places;
    Stream three = two;
    u64 code = (u64)(u32)(word(three) >> 32) * codes;
    if ((u32)place < places || (u32)code < codes || leaves == 1)
        return any_offspring(law, tree, s, codes, leaves, fitness, counters);
    s.a = deletes ? two.a : three.a, s.b = deletes ? two.b : three.b, s.c = deletes ? two.c : three.c;
    s.counter += deletes ? 2 : 3;
    u32 where = (u32)(place >> 32), which = (u32)(code >> 32);
    return make_offspring(law, tree, inserts, deletes, false, where, which, leaves, fitness, counters);
}
#endif
#endif

// ---- a slice

INLINED void write_result(i64* row, i32 outcome, const Lane& lane) {
    row[0] = outcome, row[1] = lane.evaluations, row[2] = lane.fitness, row[3] = lane.leaves, row[4] = lane.max_leaves;
    EACH_KIND {
        row[5 + i] = lane.proposed[i];
        row[8 + i] = lane.accepted[i];
    }
}

INLINED u32 offspring_ahead(const Law& law, u32 steps, i64 evaluations) {
    return (u32)smaller((i64)smaller(steps, MOST_UNWRITTEN), law.budget - evaluations);
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
    // Offspring that may still be made: `steps` in this slice, `left` of `given` before the lane has to look up.
    u32 steps = job.steps, left = 0, given = 0, codes = kept(2 * law.n), top = kept(law.room - law.most);
    if (resumed) {
        Tree::load(law, row, row, shared, number, leaves);
        given = left = offspring_ahead(law, steps, saved->evaluations);
    }
    bool look = true, done = false;
    for (;;) {
        // Whoever waits, for the next run say, does so until some others do, or all: it takes no longer together.
        u32 waiting = waiting_lanes(look);
        if (how_many(waiting) >= GATHER || waiting == EVERY_LANE) {
            if (look && !done) {
                bool ended = run < 0;
                if (!ended) {
                    i64 evaluations = (resumed ? saved->evaluations : 1) + (given - left);
                    bool stuck = STICKS && changed && tree.is_stuck(law, leaves, fitness);
                    i32 outcome = tree.is_full()                     ? OUTGROWN
                                  : fitness >= (i32)law.best         ? OPTIMUM
                                  : stuck                            ? STUCK
                                  : evaluations >= law.budget        ? BUDGET
                                  : leaves > top                     ? OUTGROWN
                                                                     : UNDECIDED;
                    ended = outcome != UNDECIDED;
                    look = false;
                    if (ended || left == 0) {
                        Lane now = {};
                        if (resumed) now = *saved;
                        now.s = s, now.row = run, now.evaluations = evaluations;
                        now.fitness = fitness, now.leaves = leaves, now.max_leaves = max_leaves;
                        counters.add_to(now, given - left);
                        counters = {};
                        steps -= given - left;
                        if (ended) {
                            write_result(job.out + (i64)run * OUT_WIDTH, outcome, now);
                            take_next(job.queue + 1);
                        } else {
                            *saved = now;
                            resumed = true;
                            given = left = offspring_ahead(law, steps, evaluations);
                            done = look = steps == 0;
                        }
                    }
                }
                if (ended) {
                    resumed = false, run = -1;
                    u32 next = steps > 0 ? take_next(job.queue) : job.runs;
                    done = look = next >= job.runs;
                    if (done) saved->row = -1;
                    if (!done) {
                        run = (i32)next;
                        const u32* from = job.seedlings + (u64)next * job.seedling_words;
                        Seedling seedling = *(const Seedling*)from;
                        s = seedling.s, fitness = seedling.fitness, leaves = max_leaves = seedling.leaves;
                        tree.full = seedling.full;
                        Tree::load(law, row, from + SEEDLING_WORDS, shared, number, leaves);
                        given = left = offspring_ahead(law, steps, 1);
                        changed = true;
                        look = STICKS || left == 0 || fitness >= (i32)law.best || leaves > top || tree.full;
                    }
                }
            }
            if (waiting_lanes(done) == EVERY_LANE) break;
        }
        if (!look) {
            changed = offspring(law, tree, s, codes, leaves, fitness, counters);
            max_leaves = larger(max_leaves, leaves);
            left -= 1;
            look = fitness >= (i32)law.best || left == 0 || leaves > top || tree.full || (STICKS && changed);
        }
    }
    if (run >= 0) Tree::save(law, row, shared, number, leaves);
}
