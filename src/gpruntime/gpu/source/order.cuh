// ORDER: gpruntime.engine.ordered, gpruntime.engine.changes and gpruntime.engine.problems.order.stepping.
//
// Leaves and joins live in slots. `register_` has the leaves in use at its even places and the joins at its odd ones; behind
// the last in use come the free nodes. The leaves of a variable are linked in order from `first`.
#include "nodes.cuh"
#include "planting.cuh"
#define ALWAYS (-0x40000000)
enum { FIRST, REGISTER, NODES, END };  // Law.places; the number of variables that have a leaf is before them

struct Entry {
    u32 kind, site;
    i32 old, comes;
    u32 before, after, earlier, later, left, right, above, place;
    i64 label;
};

struct Tree {
    u32* present;
    Link *first, *register_;
    Nodes nodes;
    u32 full;  // never: counts have no limit here

    MEMBER Tree(const Law& law, u32* row, u32*, u32)
        : present(row),
          first((Link*)(row + law.places[FIRST])),
          register_((Link*)(row + law.places[REGISTER])),
          nodes{(Link*)(row + law.places[NODES])},
          full(0) {}

    MEMBER static void load(const Law& law, u32* row, const u32* from, u32*, u32, u32 leaves) {
        u32 slot = 2 * ROW * (u32)sizeof(Link) / 4;
        if (row != from) copy_words(row, from, law.places[NODES] + (leaves + 1) * slot);
    }
    MEMBER static void save(const Law&, u32*, const u32*, u32, u32) {}
    MEMBER bool is_full() const { return false; }

    // ---- planting

    MEMBER u32 plant(const Law& law, i32* scratch, Stream& s, i32& fitness) {
        for (u32 i = 0; i < 2 * law.room; i++) register_[i] = (Link)(i + 2);
        for (u32 i = 0; i < law.n; i++) first[i] = NOBODY;
        *present = 0, fitness = 0;
        for (u32 column = 0; column < ROW; column++) nodes.put(NOBODY, column, 0);
        nodes.put(NOBODY, TERMINAL, 1);
        nodes.put_label(NOBODY, NOWHERE);
        nodes.put(TOP, LEFT, NOBODY);
        if (law.planted == 0) return 0;
        u32 leaves = plant_shape(law, nodes, scratch, s);
        for (u32 i = leaves; i-- > 0;) {  // from the right, so that each leaf is the first of its variable when it comes
            u32 leaf = 2 * (i + 1), variable = nodes.get(leaf, TERMINAL) >> 1, following = first[variable];
            nodes.put(leaf, EARLIER, NOBODY);
            nodes.put(leaf, LATER, following);
            nodes.put(following, EARLIER, leaf);
            first[variable] = (Link)leaf;
            *present += following == NOBODY;
            fitness += nodes.is_positive(leaf) - nodes.is_positive(following);
        }
        return leaves;
    }

    // ---- the shape

    MEMBER u32 edge_of(u32 node, u32 side) const {
        while (node & 1) node = nodes.get(node, side);
        return node;
    }
    MEMBER void hang_in_place_of(u32 old, u32 other, u32 above) const {
        nodes.put(above, nodes.get(above, LEFT) != old, other);
        nodes.put(other, PARENT, above);
    }
    MEMBER void swap_joins(u32 join, u32 i, u32 j) const {  // the join at i goes to j, and the one there comes to i
        u32 other = register_[2 * j + 1];
        register_[2 * i + 1] = (Link)other, register_[2 * j + 1] = (Link)join;
        nodes.put(join, PLACE, j);
        nodes.put(other, PLACE, i);
    }
    MEMBER void swap_leaves(u32 leaf, u32 i, u32 j) const {
        register_[2 * i] = register_[2 * j], register_[2 * j] = (Link)leaf;
    }

    // A new leaf next to a node, and next to the leaf at its edge, whose row this is.
    MEMBER u32 graft(u32 leaves, u32 node, u32 beside, const Row& at, i32 side, u32 code) const {
        u32 leaf = register_[2 * leaves], join = TOP;
        if (leaves > 0) {
            join = register_[2 * leaves - 1];
            hang_in_place_of(node, join, node == beside ? at[PARENT] : nodes.get(node, PARENT));
            nodes.put(join, PLACE, leaves - 1);
            nodes.put(join, 1 - side, node);
            nodes.put(node, PARENT, join);
            nodes.put(join, side, leaf);
        } else {
            nodes.put(TOP, LEFT, leaf);
            nodes.put(NOBODY, BEFORE, NOBODY);
            nodes.put(NOBODY, AFTER, NOBODY);
        }
        nodes.put(leaf, TERMINAL, code);
        nodes.put(leaf, PARENT, join);
        u32 beyond = leaves == 0 ? NOBODY : at[side == 1 ? AFTER : BEFORE];
        u32 before = side == 1 ? beside : beyond, after = side == 1 ? beyond : beside;
        nodes.put(leaf, BEFORE, before);
        nodes.put(leaf, AFTER, after);
        nodes.put(before, AFTER, leaf);
        nodes.put(after, BEFORE, leaf);
        nodes.label_leaf(leaf);
        return leaf;
    }
    // Takes a leaf out, whose row this is, and its join.
    MEMBER void cut(u32 leaves, u32 leaf, const Row& at, u32 index) const {
        if (leaves == 1) {
            nodes.put(TOP, LEFT, NOBODY);
        } else {
            u32 join = at[PARENT];
            Row above = nodes.row(join);
            hang_in_place_of(join, above[LEFT] == leaf ? above[RIGHT] : above[LEFT], above[PARENT]);
            swap_joins(join, above[PLACE], leaves - 2);
        }
        nodes.put(at[BEFORE], AFTER, at[AFTER]);
        nodes.put(at[AFTER], BEFORE, at[BEFORE]);
        swap_leaves(leaf, index, leaves - 1);
    }

    // ---- occurrences

    MEMBER void link(u32 leaf, u32 variable, u32 head, bool comes_first) const {
        u32 here = NOBODY, following = head;
        if (comes_first) {
            first[variable] = (Link)leaf;
            *present += head == NOBODY;
        } else {
            i64 mine = nodes.label(leaf);
            do here = following, following = nodes.get(following, LATER);
            while (nodes.label(following) < mine);
            nodes.put(here, LATER, leaf);
        }
        nodes.put(leaf, EARLIER, here);
        nodes.put(leaf, LATER, following);
        nodes.put(following, EARLIER, leaf);
    }
    MEMBER void unlink(const Row& at) const {
        nodes.put(at[LATER], EARLIER, at[EARLIER]);
        if (at[EARLIER] != NOBODY) {
            nodes.put(at[EARLIER], LATER, at[LATER]);
        } else {
            first[at[TERMINAL] >> 1] = (Link)at[LATER];
            *present -= at[LATER] == NOBODY;
        }
    }

    // ---- one operation, judged first and made if it is accepted
    //
    // Lanes of a warp have operations of all kinds, so what kinds have in common is done together: a leaf is found, what it and
    // the first leaf of the variable that comes know is read; then one leaf is unlinked, and one linked.

    MEMBER i32 attempt(u32 leaves, bool inserts, bool deletes, bool vain, u32 site, i32 side, u32 code, i32 least) {
        if (vain) return 0;
        u32 node = leaves == 0 ? NOBODY : register_[site >= leaves ? 2 * (site - leaves) + 1 : 2 * site];
        u32 leaf = edge_of(node, side), variable = code >> 1, head = deletes ? NOBODY : first[variable];
        Row at = nodes.row(leaf);
        i32 comes = ~code & 1, goes = ~at[TERMINAL] & 1;
        bool same = !inserts && !deletes && at[TERMINAL] >> 1 == variable;
        bool comes_first = !deletes && nodes.label(leaf) + (inserts ? side : 1) <= nodes.label(head);
        i32 gain = !inserts && at[EARLIER] == NOBODY ? nodes.is_positive(at[LATER]) - goes : 0;
        gain += comes_first ? comes - nodes.is_positive(head) : 0;
        if (same) gain = head == leaf ? comes - goes : 0;
        if (gain < least) return gain;
        if (same) {
            nodes.put(leaf, TERMINAL, code);
            return gain;
        }
        if (!inserts) unlink(at);
        if (deletes) {
            cut(leaves, leaf, at, site);
        } else {
            if (inserts)
                leaf = graft(leaves, node, leaf, at, side, code);
            else
                nodes.put(leaf, TERMINAL, code);
            link(leaf, variable, head, comes_first);
        }
        return gain;
    }

    // ---- several operations, made one after the other and taken back if they are rejected

    MEMBER i32 make(const Law& law, u32 leaves, Kind kind, i32 site, i32 side, i32 code, Entry& entry) {
        entry.kind = kind, entry.site = site, entry.old = -1, entry.comes = code;
        if (kind == DELETE ? !can_delete(law, leaves) : code < 0) return 0;
        if (kind == DELETE) note(register_[2 * site], entry);
        if (kind == SUBSTITUTE) entry.old = nodes.get(register_[2 * site], TERMINAL);
        return attempt(leaves, kind == INSERT, kind == DELETE, false, site, side, code, ALWAYS);
    }
    // All that a deleted leaf and its join knew: their slots may be used again before the deletion is taken back.
    MEMBER void note(u32 leaf, Entry& entry) const {
        u32 join = nodes.get(leaf, PARENT);
        entry.old = nodes.get(leaf, TERMINAL);
        entry.before = nodes.get(leaf, BEFORE), entry.after = nodes.get(leaf, AFTER);
        entry.earlier = nodes.get(leaf, EARLIER), entry.later = nodes.get(leaf, LATER);
        entry.label = nodes.label(leaf);
        entry.left = nodes.get(join, LEFT), entry.right = nodes.get(join, RIGHT);
        entry.above = nodes.get(join, PARENT), entry.place = nodes.get(join, PLACE);
    }
    MEMBER u32 undo(const Law&, u32 leaves, const Entry& entry) {
        if (entry.kind == INSERT) {  // the newest leaf is the last of the register, and its join too
            attempt(leaves, false, true, false, leaves - 1, 0, 0, ALWAYS);
            return leaves - 1;
        }
        if (entry.old < 0) return leaves;
        if (entry.kind == SUBSTITUTE) {
            attempt(leaves, false, false, false, entry.site, 0, entry.old, ALWAYS);
            return leaves;
        }
        put_back(leaves, entry);
        return leaves + 1;
    }
    MEMBER void put_back(u32 leaves, const Entry& entry) const {
        u32 leaf = register_[2 * leaves];
        swap_leaves(leaf, leaves, entry.site);
        if (leaves == 0) {
            nodes.put(TOP, LEFT, leaf);
            nodes.put(leaf, PARENT, TOP);
        } else {
            u32 join = register_[2 * leaves - 1];
            swap_joins(join, leaves - 1, entry.place);
            hang_in_place_of(entry.left == leaf ? entry.right : entry.left, join, entry.above);
            nodes.put(join, LEFT, entry.left);
            nodes.put(join, RIGHT, entry.right);
            nodes.put(entry.left, PARENT, join);
            nodes.put(entry.right, PARENT, join);
        }
        nodes.put(leaf, TERMINAL, entry.old);
        nodes.put(leaf, BEFORE, entry.before);
        nodes.put(leaf, AFTER, entry.after);
        nodes.put(entry.before, AFTER, leaf);
        nodes.put(entry.after, BEFORE, leaf);
        nodes.put_label(leaf, entry.label);
        bool too_low = entry.before != NOBODY && nodes.label(entry.before) >= entry.label;
        if (too_low || nodes.label(entry.after) <= entry.label) nodes.label_leaf(leaf);  // its neighbours were labelled anew
        nodes.put(leaf, EARLIER, entry.earlier);
        nodes.put(leaf, LATER, entry.later);
        nodes.put(entry.later, EARLIER, leaf);
        if (entry.earlier != NOBODY) {
            nodes.put(entry.earlier, LATER, leaf);
            return;
        }
        first[entry.old >> 1] = (Link)leaf;
        *present += entry.later == NOBODY;
    }

    // ---- stuck: gpruntime.engine.problems.order.stepping.order_stuck

    MEMBER bool is_stuck(const Law& law, u32 leaves, i32 fitness) const {
        if (!STRICT) return weakly_stuck(law, leaves, fitness);
        u32 room = law.limit - leaves;
        if (law.most > 1) {
            if (law.substitutes) return (i32)leaves == fitness && !law.inserts;
            if (law.inserts) return !law.deletes && law.limit != NO_LIMIT && room == 0;
            return !any_hidden(law, leaves);
        }
        if (law.inserts && room > 0) return false;
        i32 blocked = (i32)*present - fitness, absent = (i32)law.n - (i32)*present;
        if (law.substitutes) return blocked == 0 && (absent == 0 || (i32)leaves == fitness);
        return !(law.deletes && any_hidden(law, 1));
    }
    // Whether some variable's first leaf is x̄_i and an x_i is among the next `depth` ones.
    MEMBER bool any_hidden(const Law& law, u32 depth) const {
        for (u32 variable = 0; variable < law.n; variable++) {
            u32 leaf = first[variable], looked = 0;
            while (leaf != NOBODY && !nodes.is_positive(leaf) && looked < depth) {
                leaf = nodes.get(leaf, LATER);
                looked += 1;
            }
            if (looked > 0 && nodes.is_positive(leaf)) return true;
        }
        return false;
    }
};
