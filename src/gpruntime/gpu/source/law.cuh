// What a run depends on, as numbers: gpruntime.engine.params. The Python side has the same fields in the same order.
enum Kind : u32 { SUBSTITUTE, INSERT, DELETE };
enum Outcome : i32 { UNDECIDED = -1, OPTIMUM, STUCK, BUDGET, OUTGROWN };
enum Init : u32 { TREE, UNITY, BALANCED, INSERTION, GROW };
#define NO_LIMIT 0x7fffffffu

struct Law {
    u64 first, second;    // thresholds of the kinds: a word's upper 53 bits below the first mean a substitution
    u64 join;             // threshold of J, for GROW
    i64 budget;           // evaluations, at most
    const u64* sizes;     // thresholds of how many operations an offspring has beyond the fewest
    const i32* least;     // the least gain that is accepted, by growth, from −most to most
    const i32* given;     // an initial tree that is not drawn: terminals, then nodes in pre-order
    u32 n, best;
    u32 planted, init;    // leaves of the initial tree, at most, and its kind
    u32 fewest, most;     // operations of an offspring
    u32 limit;            // leaves of an offspring, at most
    u32 drawn;            // whether the number of operations is drawn
    u32 nodes, empty;     // dialects: substitution picks any node; the last leaf may be deleted
    u32 can_stick;        // whether a run can be seen to be stuck
    u32 substitutes, inserts, deletes;  // whether there are operations of this kind
    u32 pool[4], constant;              // of NumPy's SeedSequence, with all of the address but the run
    u32 room;             // leaves that a lane has memory for
    u32 places[4];        // where the fields of a tree begin in a lane's memory, in words of 32 bits
};

INLINED bool can_delete(const Law& law, u32 leaves) { return leaves > 1 || (leaves == 1 && law.empty); }

// Stuck though neutral moves are accepted: only insertions, or only deletions (gpruntime.model.stuck).
INLINED bool weakly_stuck(const Law& law, u32 leaves, i32 fitness) {
    if (law.substitutes || (law.inserts && law.deletes)) return false;
    if (law.inserts) return leaves == law.limit;
    return (i32)leaves == fitness && fitness > 0 && (leaves > 1 || law.empty);
}
