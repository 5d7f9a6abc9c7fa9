// The kernels of gpu/source as a program for a browser: one lane, in memory that only grows.
//
// Set by docs/making/playground.py before this text: what the kernels are compiled with, and from the spec WORD_0, WORD_1
// (thresholds of the kinds), FEWEST, MOST_OPERATIONS, DRAWN, CAN_STICK, LEAVES_FOR_N, and the tables SIZES and LEAST.

extern "C" u8 __heap_base;
static u64 top;  // of the memory in use

static void* taken(u64 bytes) {
    u64 begin = (top + 15) & ~15ull;
    top = begin + bytes;
    u64 pages = (top + 0xffff) >> 16, has = __builtin_wasm_memory_size(0);
    if (pages > has && __builtin_wasm_memory_grow(0, pages - has) == (__SIZE_TYPE__)-1) return nullptr;
    return (void*)(__SIZE_TYPE__)begin;
}

static Law law;
static Job job;
static Lane lane;
static u32 queue[2];

// Plants these runs of size n; `seedlings` of them at a time have memory. Returns where their results will stand, or 0.
extern "C" i64* begin(u32 n, u32 p0, u32 p1, u32 p2, u32 p3, u32 constant, u32 first, u32 runs, u32 room) {
    top = (u64)(__SIZE_TYPE__)&__heap_base;
    law = {};
    law.first = WORD_0, law.second = WORD_1;
    law.budget = 1ll << 62;
    law.sizes = SIZES, law.least = LEAST;
    law.n = law.best = n;
    law.planted = LEAVES_FOR_N * n, law.init = UNITY;
    law.fewest = FEWEST, law.most = MOST_OPERATIONS, law.drawn = DRAWN;
    law.limit = NO_LIMIT, law.can_stick = CAN_STICK;
    law.substitutes = law.inserts = law.deletes = 1;
    law.pool[0] = p0, law.pool[1] = p1, law.pool[2] = p2, law.pool[3] = p3, law.constant = constant;
    law.room = room;
    u32 row, seedling;
    lay_out(law, room, row, seedling);
    job = {};
    job.tree_words = row, job.seedling_words = SEEDLING_WORDS + seedling, job.scratch_words = 4 * law.planted + 4;
    job.first = first, job.runs = runs, job.number_of_lanes = job.number_of_planters = 1;
    queue[0] = queue[1] = 0;
    lane = {};
    lane.row = -1;
    job.lanes = &lane, job.queue = queue;
    job.out = (i64*)taken((u64)runs * OUT_WIDTH * sizeof(i64));
    job.trees = (u32*)taken((u64)row * 4);
    job.scratch = (u32*)taken((u64)job.scratch_words * 4);
    job.seedlings = (u32*)taken((u64)runs * job.seedling_words * 4);
    if (!job.out || !job.trees || !job.scratch || !job.seedlings) return nullptr;
    plant(&law, &job, nullptr);
    return job.out;
}

// Makes at most this many offspring; returns how many runs have ended.
extern "C" u32 slice(u32 steps) {
    job.steps = steps;
    advance(&law, &job, nullptr);
    return queue[1];
}

// Of the run that is under way: evaluations, fitness and leaves, or nothing where none is.
extern "C" const i64* under_way() { return lane.row < 0 ? nullptr : &lane.evaluations; }
