// How the nodes of a planted tree lie in memory: gpruntime.engine.nodes and gpruntime.engine.labels.
//
// A slot has a leaf, node 2s, and a join, node 2s + 1. A node is a row of eight links; a join needs four of them, and the
// label of the leaf in its slot stands where the others would be.
#if LINK_BITS == 16
typedef u16 Link;
#else
typedef u32 Link;
#endif
enum { LEFT = 0, RIGHT = 1 };
enum { TERMINAL = 0, BEFORE = 1, PARENT = 2, PLACE = 3 /* of a join */, AFTER = 4, EARLIER = 5, LATER = 6, ROW = 8 };
enum { NOBODY = 0, TOP = 1 };  // stands for no leaf; the join whose LEFT child is the root

#define MIDDLE (1ll << 61)   // the first label
#define SPAN (1ll << 60)     // the room for an initial tree
#define BEYOND (1ll << 32)   // the distance beyond the end
#define NOWHERE 0x7fffffffffffffffll  // behind all

// A row as it is read, all at once.
struct alignas(16) Row {
    Link links[ROW];
    MEMBER u32 operator[](u32 column) const { return links[column]; }
};

struct Nodes {
    Link* rows;

    MEMBER Row row(u32 node) const { return ((const Row*)rows)[node]; }

    MEMBER u32 get(u32 node, u32 column) const { return rows[node * ROW + column]; }
    MEMBER void put(u32 node, u32 column, u32 value) const { rows[node * ROW + column] = (Link)value; }
    MEMBER i64 label(u32 leaf) const { return *(const i64*)(rows + (leaf | 1) * ROW + ROW / 2); }
    MEMBER void put_label(u32 leaf, i64 value) const { *(i64*)(rows + (leaf | 1) * ROW + ROW / 2) = value; }
    MEMBER i32 is_positive(u32 leaf) const { return ~get(leaf, TERMINAL) & 1; }  // 0 for nobody

    // Gives a label to a leaf that has just been linked between its neighbours.
    MEMBER void label_leaf(u32 leaf) const {
        u32 before = get(leaf, BEFORE), after = get(leaf, AFTER);
        i64 low = label(before), high = label(after);
        if (after == NOBODY)
            put_label(leaf, before == NOBODY ? MIDDLE : low + BEYOND);
        else if (before == NOBODY)
            put_label(leaf, high - BEYOND);
        else if (high - low >= 2)
            put_label(leaf, low + ((high - low) >> 1));
        else
            spread(leaf);
    }

    // Makes room around a leaf between two neighbours without a gap, and labels it.
    MEMBER void spread(u32 leaf) const {
        u32 first = leaf, last = leaf, leaves = 1;
        u32 before = get(leaf, BEFORE), after = get(leaf, AFTER);
        i64 anchor = label(before);
        double allowed = 1;
        for (int bits = 1; bits < 62; bits++) {
            allowed *= 2 / 1.4;
            i64 size = 1ll << bits, base = anchor & ~(size - 1);
            while (before != NOBODY && label(before) >= base) {
                first = before, before = get(before, BEFORE);
                leaves += 1;
            }
            while (label(after) < base + size) {
                last = after, after = get(after, AFTER);
                leaves += 1;
            }
            if (leaves <= allowed && 2 * (i64)leaves < size) {
                i64 distance = size / (leaves + 1), value = base;
                for (;;) {
                    value += distance;
                    put_label(first, value);
                    if (first == last) return;
                    first = get(first, AFTER);
                }
            }
        }
    }
};
