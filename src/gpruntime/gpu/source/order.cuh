// ORDER: gpruntime.engine.ordered, gpruntime.engine.changes and gpruntime.engine.problems.order.stepping.
//
// Leaves and joins live in slots. `register_` has the leaves in use at its even places and the joins at its odd ones; behind
// the last in use come the free nodes. The leaves of a variable are linked in order from `first`.
#include "nodes.cuh"
#include "planting.cuh"
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

    // ---- places

    MEMBER u32 node_at(u32 leaves, u32 site) const {
        return site >= leaves ? register_[2 * (site - leaves) + 1] : register_[2 * site];
    }
    MEMBER u32 edge_of(u32 node, u32 side) const {
        while (node & 1) node = nodes.get(node, side);
        return node;
    }
    MEMBER void hang_in_place_of(u32 old, u32 other, u32 above) const {
        nodes.put(above, nodes.get(above, LEFT) != old, other);
        nodes.put(other, PARENT, above);
    }
    MEMBER void swap(u32 i, u32 j, u32 is_join) const {
        u32 a = register_[2 * i + is_join], b = register_[2 * j + is_join];
        register_[2 * i + is_join] = (Link)b, register_[2 * j + is_join] = (Link)a;
        nodes.put(a, PLACE, j);
        nodes.put(b, PLACE, i);
    }

    // ---- occurrences; what is linked or unlinked adds to the fitness

    MEMBER i32 link(u32 leaf) const {
        u32 variable = nodes.get(leaf, TERMINAL) >> 1, here = NOBODY, following = first[variable];
        i64 mine = nodes.label(leaf);
        i32 gain = 0;
        if (mine < nodes.label(following)) {
            first[variable] = (Link)leaf;
            *present += following == NOBODY;
            gain = nodes.is_positive(leaf) - nodes.is_positive(following);
        } else {
            while (nodes.label(following) < mine) here = following, following = nodes.get(following, LATER);
            nodes.put(here, LATER, leaf);
        }
        nodes.put(leaf, EARLIER, here);
        nodes.put(leaf, LATER, following);
        nodes.put(following, EARLIER, leaf);
        return gain;
    }
    MEMBER i32 unlink(u32 leaf) const {
        u32 earlier = nodes.get(leaf, EARLIER), later = nodes.get(leaf, LATER);
        nodes.put(later, EARLIER, earlier);
        if (earlier != NOBODY) {
            nodes.put(earlier, LATER, later);
            return 0;
        }
        first[nodes.get(leaf, TERMINAL) >> 1] = (Link)later;
        *present -= later == NOBODY;
        return nodes.is_positive(later) - nodes.is_positive(leaf);
    }

    // ---- the three changes

    MEMBER i32 insert(u32 leaves, u32 node, u32 beside, i32 side, u32 code) const {
        u32 leaf = register_[2 * leaves], join = TOP;
        if (leaves > 0) {
            join = register_[2 * leaves - 1];
            hang_in_place_of(node, join, nodes.get(node, PARENT));
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
        nodes.put(leaf, PLACE, leaves);
        nodes.put(leaf, PARENT, join);
        u32 beyond = nodes.get(beside, side == 1 ? AFTER : BEFORE);
        u32 before = side == 1 ? beside : beyond, after = side == 1 ? beyond : beside;
        nodes.put(leaf, BEFORE, before);
        nodes.put(leaf, AFTER, after);
        nodes.put(before, AFTER, leaf);
        nodes.put(after, BEFORE, leaf);
        nodes.label_leaf(leaf);
        return link(leaf);
    }
    MEMBER i32 remove(u32 leaves, u32 index) const {
        u32 leaf = register_[2 * index], join = nodes.get(leaf, PARENT);
        if (leaves == 1) {
            nodes.put(TOP, LEFT, NOBODY);
        } else {
            u32 sibling = nodes.get(join, nodes.get(join, LEFT) == leaf);
            hang_in_place_of(join, sibling, nodes.get(join, PARENT));
            swap(nodes.get(join, PLACE), leaves - 2, 1);
        }
        u32 before = nodes.get(leaf, BEFORE), after = nodes.get(leaf, AFTER);
        nodes.put(before, AFTER, after);
        nodes.put(after, BEFORE, before);
        swap(index, leaves - 1, 0);
        return unlink(leaf);
    }
    MEMBER i32 substitute(u32 index, u32 code) const {
        u32 leaf = register_[2 * index];
        if (nodes.get(leaf, TERMINAL) >> 1 == code >> 1) {
            i32 before = nodes.is_positive(leaf);
            nodes.put(leaf, TERMINAL, code);
            return nodes.get(leaf, EARLIER) == NOBODY ? nodes.is_positive(leaf) - before : 0;
        }
        i32 gain = unlink(leaf);
        nodes.put(leaf, TERMINAL, code);
        return gain + link(leaf);
    }

    // ---- one operation, judged first and made if it is accepted

    MEMBER i32 gain_without(u32 leaf) const {
        if (nodes.get(leaf, EARLIER) != NOBODY) return 0;
        return nodes.is_positive(nodes.get(leaf, LATER)) - nodes.is_positive(leaf);
    }
    MEMBER i32 attempt(u32 leaves, bool inserts, bool deletes, bool vain, u32 site, i32 side, u32 code, i32 least) {
        if (vain) return 0;
        u32 head = first[code >> 1];  // not used by a deletion, whose code is 0
        if (inserts) {
            u32 node = leaves > 0 ? node_at(leaves, site) : NOBODY, beside = edge_of(node, side);
            bool behind = nodes.label(beside) + side > nodes.label(head);
            i32 gain = behind ? 0 : (i32)(~code & 1) - nodes.is_positive(head);
            if (gain >= least) insert(leaves, node, beside, side, code);
            return gain;
        }
        u32 leaf = register_[2 * site];
        i32 gain = gain_without(leaf);
        if (deletes) {
            if (gain >= least) remove(leaves, site);
            return gain;
        }
        if (nodes.get(leaf, TERMINAL) >> 1 == code >> 1)
            gain = head == leaf ? (i32)(~code & 1) - nodes.is_positive(leaf) : 0;
        else if (nodes.label(leaf) < nodes.label(head))
            gain += (i32)(~code & 1) - nodes.is_positive(head);
        if (gain >= least) substitute(site, code);
        return gain;
    }

    // ---- several operations, made one after the other and taken back if they are rejected

    MEMBER i32 make(const Law& law, u32 leaves, Kind kind, i32 site, i32 side, i32 code, Entry& entry) {
        entry.kind = kind, entry.site = site, entry.old = -1, entry.comes = code;
        if (kind == INSERT) {
            u32 node = leaves > 0 ? node_at(leaves, site) : NOBODY;
            return insert(leaves, node, edge_of(node, side), side, code);
        }
        if (kind == DELETE) {
            if (!can_delete(law, leaves)) return 0;
            note(register_[2 * site], entry);
            return remove(leaves, site);
        }
        if (code < 0) return 0;
        entry.old = nodes.get(register_[2 * site], TERMINAL);
        return substitute(site, code);
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
            remove(leaves, leaves - 1);
            return leaves - 1;
        }
        if (entry.old < 0) return leaves;
        if (entry.kind == SUBSTITUTE) {
            substitute(entry.site, entry.old);
            return leaves;
        }
        put_back(leaves, entry);
        return leaves + 1;
    }
    MEMBER void put_back(u32 leaves, const Entry& entry) const {
        u32 leaf = register_[2 * leaves];
        swap(entry.site, leaves, 0);
        if (leaves == 0) {
            nodes.put(TOP, LEFT, leaf);
            nodes.put(leaf, PARENT, TOP);
        } else {
            u32 join = register_[2 * leaves - 1];
            swap(entry.place, leaves - 1, 1);
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
