// How the nodes of a planted tree lie in memory: gpruntime.engine.linked_tree, in less of it.
//
// Slot s has a leaf, node 2s, and a join, node 2s + 1. All that is known of a leaf is read at once.
#if LINK_BITS == 16
typedef u16 Link;
typedef i32 Label;
#else
typedef u32 Link;
typedef i64 Label;
#endif
enum { LEFT = 0, RIGHT = 1 };
enum { NOBODY = 0, TOP = 1 };  // stands for no leaf; the join whose LEFT child is the root

// Labels grow along the leaves from left to right; they lie between 0 and LABELS.
#define LABELS ((Label)1 << LABEL_BITS)
#define MIDDLE (LABELS / 2)                      // the first one
#define SPAN (LABELS / 4)                        // the room for an initial tree
#define BEYOND ((Label)1 << (LABEL_BITS / 2))    // the distance beyond the end
#define NOWHERE (LABELS + BEYOND)                // behind all

// `hook` says where a node hangs: at the join with this slot, times two, and with the side as its last bit.
struct alignas(16) Leaf {
    Link terminal, before, after, earlier, later, hook;
    Label label;
};

struct alignas(4 * sizeof(Link)) Join {
    Link child[2], hook, place;
};
#define ROOT 0               // the hook of the root, at TOP
#define JOIN_OF(hook) ((hook) | 1)  // the join it belongs to
#define HOOK_OF(join, side) (((join) - 1) | (side))

struct Nodes {
    Leaf* leaves;
    Join* joins;

    // A leaf's number is even and a join's odd, so their places follow by one multiplication each.
    MEMBER Leaf& leaf(u32 node) const { return *(Leaf*)((char*)leaves + (u64)node * (sizeof(Leaf) / 2)); }
    MEMBER Join& join(u32 node) const { return *(Join*)((char*)joins + (u64)node * (sizeof(Join) / 2) - sizeof(Join) / 2); }
    MEMBER Link& hook(u32 node) const { return node & 1 ? join(node).hook : leaf(node).hook; }
    MEMBER Link& hanging(u32 hook) const { return join(JOIN_OF(hook)).child[hook & 1]; }
    MEMBER i32 is_positive(u32 node) const { return ~leaf(node).terminal & 1; }  // 0 for nobody

    // A leaf or a join as a whole, in as few accesses as can be.
    MEMBER Leaf read(u32 node) const {
        Leaf found;
        for (u32 i = 0; i < sizeof(Leaf) / 16; i++) ((Four*)&found)[i] = ((const Four*)&leaf(node))[i];
        return found;
    }
    MEMBER void write(u32 node, const Leaf& known) const {
        for (u32 i = 0; i < sizeof(Leaf) / 16; i++) ((Four*)&leaf(node))[i] = ((const Four*)&known)[i];
    }
    MEMBER Join read_join(u32 node) const {
        Join found;
        for (u32 i = 0; i < sizeof(Join) / 8; i++) ((u64*)&found)[i] = ((const u64*)&join(node))[i];
        return found;
    }
    MEMBER void write_join(u32 node, const Join& known) const {
        for (u32 i = 0; i < sizeof(Join) / 8; i++) ((u64*)&join(node))[i] = ((const u64*)&known)[i];
    }

    // The label of a leaf that comes between two others, which have these. Where there is none left, others get new ones.
    MEMBER Label label_between(u32 node, u32 before, u32 after, Label low, Label high) const {
        Label label = low + ((high - low) >> 1);
        if (after == NOBODY)
            label = before == NOBODY ? MIDDLE : low + BEYOND, high = LABELS;
        if (before == NOBODY) {
            if (after != NOBODY) label = high - BEYOND;
            low = 0;
        }
        if (label > low && label < high) return label;
        leaf(node).before = (Link)before, leaf(node).after = (Link)after;
        if (before == NOBODY || after == NOBODY)
            label_all(node);
        else
            spread(node);
        return leaf(node).label;
    }

    // Makes room around a leaf between two neighbours without a gap, and labels it: in the smallest aligned range of 2ⁱ labels
    // that holds at most (2/1.4)ⁱ leaves.
    MEMBER void spread(u32 node) const {
        u32 first = node, last = node, number = 1, before = leaf(node).before, after = leaf(node).after;
        Label anchor = leaf(before).label;
        double allowed = 1;
        for (int bits = 1; bits < LABEL_BITS; bits++) {
            allowed *= 2 / 1.4;
            Label size = (Label)1 << bits, base = anchor & ~(size - 1);
            while (before != NOBODY && leaf(before).label >= base) {
                first = before, before = leaf(before).before;
                number += 1;
            }
            while (leaf(after).label < base + size) {
                last = after, after = leaf(after).after;
                number += 1;
            }
            if (number <= allowed && 2 * (i64)number < size) {
                label_some(first, last, base, size / (Label)(number + 1));
                return;
            }
        }
        label_all(node);
    }
    MEMBER void label_some(u32 first, u32 last, Label label, Label distance) const {
        for (;;) {
            label += distance;
            leaf(first).label = label;
            if (first == last) return;
            first = leaf(first).after;
        }
    }
    // All leaves anew, when there is no room at an end or anywhere.
    MEMBER void label_all(u32 node) const {
        u32 first = node, last = node, number = 1;
        for (; leaf(first).before != NOBODY; number++) first = leaf(first).before;
        for (; leaf(last).after != NOBODY; number++) last = leaf(last).after;
        label_some(first, last, LABELS / 4, LABELS / 2 / (Label)(number + 1));
    }
};
