// ORDER: gpruntime.engine.linked_tree and gpruntime.engine.problems.order.
//
// Leaves and joins live in slots. `register_` has the leaves in use at its even places and the joins at its odd ones; behind
// the last in use come the free nodes. The leaves of a variable are linked in order from `first`.
#include "nodes.cuh"
#include "planting.cuh"
#define ALWAYS (-0x40000000)
enum { FIRST, REGISTER, JOINS, LEAVES };  // Law.places; the number of variables that have a leaf is before them

struct Entry {
    u32 kind, site;
    i32 old, comes;
    Leaf leaf;
    Join join;
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
          nodes{(Leaf*)(row + law.places[LEAVES]), (Join*)(row + law.places[JOINS])},
          full(0) {}

    MEMBER static void load(const Law& law, u32* row, const u32* from, u32*, u32, u32 leaves) {
        if (row == from) return;
        u32 begin = law.places[REGISTER], joins = law.places[JOINS], end = law.places[LEAVES];
        copy_words(row, from, begin);
        for (u32 i = begin; i < joins; i++) row[i] = numbered(i - begin);
        copy_words(row + joins, from + joins, (leaves + 1) * (u32)sizeof(Join) / 4);
        copy_words(row + end, from + end, (leaves + 1) * (u32)sizeof(Leaf) / 4);
    }
    // A word of the register of a new tree, whose nodes are in the order of their numbers: 2, 3, 4, …
    MEMBER static u32 numbered(u32 i) { return sizeof(Link) == 2 ? 0x00030002u + i * 0x00020002u : i + 2; }
    MEMBER static void save(const Law&, u32*, const u32*, u32, u32) {}
    MEMBER bool is_full() const { return false; }

    // ---- planting

    MEMBER u32 plant(const Law& law, Scratch scratch, Stream& s, i32& fitness) {
        for (u32 i = 0; i < law.n; i++) first[i] = NOBODY;
        *present = 0, fitness = 0;
        nodes.leaf(NOBODY) = {};
        nodes.leaf(NOBODY).terminal = 1, nodes.leaf(NOBODY).label = NOWHERE;
        nodes.join(TOP) = {};
        if (law.planted == 0) return 0;
        u32 leaves = plant_shape(law, nodes, scratch, s);
        for (u32 i = leaves; i-- > 0;) {  // from the right, so that each leaf is the first of its variable when it comes
            u32 node = 2 * (i + 1), variable = nodes.leaf(node).terminal >> 1, following = first[variable];
            nodes.leaf(node).earlier = NOBODY, nodes.leaf(node).later = (Link)following;
            nodes.leaf(following).earlier = (Link)node;
            first[variable] = (Link)node;
            *present += following == NOBODY;
            fitness += nodes.is_positive(node) - nodes.is_positive(following);
        }
        return leaves;
    }

    // ---- the shape

    MEMBER u32 edge_of(u32 node, u32 side) const {
        while (node & 1) node = nodes.join(node).child[side];
        return node;
    }
    MEMBER void hang(u32 node, u32 hook) const {
        nodes.hanging(hook) = (Link)node;
        nodes.hook(node) = (Link)hook;
    }
    // The join at i goes to j, and the one there, `other`, comes to i. Who calls this writes the place of the first, if it is
    // of use.
    MEMBER void swap_joins(u32 join, u32 i, u32 other, u32 j) const {
        register_[2 * i + 1] = (Link)other, register_[2 * j + 1] = (Link)join;
        nodes.join(other).place = (Link)i;
    }
    MEMBER void swap_leaves(u32 leaf, u32 i, u32 other, u32 j) const {
        register_[2 * i] = (Link)other, register_[2 * j] = (Link)leaf;
    }

    // A new leaf next to a node, and next to the leaf at its edge, of which this is known; beyond that is another with this
    // label. The new one is not written yet.
    MEMBER Leaf graft(u32 leaves, u32 node, u32 hook, u32 beside, const Leaf& known, u32 beyond, Label other, i32 side,
                      u32 code, u32 leaf, u32 join) const {
        Leaf grown;
        grown.hook = ROOT;
        if (leaves > 0) {
            bool right = side == 1;
            nodes.hanging(hook) = (Link)join;
            Join above;
            above.child[LEFT] = (Link)(right ? node : leaf), above.child[RIGHT] = (Link)(right ? leaf : node);
            above.hook = (Link)hook, above.place = (Link)(leaves - 1);
            nodes.write_join(join, above);
            nodes.hook(node) = (Link)HOOK_OF(join, !right);
            grown.hook = (Link)HOOK_OF(join, right);
        } else {
            nodes.hanging(ROOT) = (Link)leaf;
        }
        u32 before = side == 1 ? beside : beyond, after = side == 1 ? beyond : beside;
        nodes.leaf(before).after = (Link)leaf;
        nodes.leaf(after).before = (Link)leaf;
        Label low = side == 1 ? known.label : other, high = side == 1 ? other : known.label;
        grown.terminal = (Link)code, grown.before = (Link)before, grown.after = (Link)after;
        grown.label = nodes.label_between(leaf, before, after, low, high);
        return grown;
    }
    // Takes a leaf out and its join, of which this is known, and puts the last ones into their places of the register.
    MEMBER void cut(u32 leaves, u32 leaf, const Leaf& known, const Join& gone, u32 index, u32 last, u32 last_join) const {
        if (leaves == 1) {
            nodes.hanging(ROOT) = NOBODY;
        } else {
            hang(known.hook & 1 ? gone.child[LEFT] : gone.child[RIGHT], gone.hook);
            swap_joins(JOIN_OF(known.hook), gone.place, last_join, leaves - 2);
        }
        nodes.leaf(known.before).after = known.after;
        nodes.leaf(known.after).before = known.before;
        swap_leaves(leaf, index, last, leaves - 1);
    }

    // ---- occurrences

    // Writes a leaf of which all is known but its place among the occurrences of its variable, and links it there, between
    // two others.
    MEMBER void link(u32 leaf, Leaf& known, u32 variable, u32 here, u32 following) const {
        if (here == NOBODY) {
            first[variable] = (Link)leaf;
            if (STRICT) *present += following == NOBODY;
        } else {
            nodes.leaf(here).later = (Link)leaf;
        }
        known.earlier = (Link)here, known.later = (Link)following;
        nodes.write(leaf, known);
        nodes.leaf(following).earlier = (Link)leaf;
    }
    MEMBER void unlink(const Leaf& known) const {
        nodes.leaf(known.later).earlier = known.earlier;
        if (known.earlier != NOBODY) {
            nodes.leaf(known.earlier).later = known.later;
        } else {
            first[known.terminal >> 1] = known.later;
            if (STRICT) *present -= known.later == NOBODY;
        }
    }

    // ---- one operation, judged first and made if it is accepted
    //
    // Lanes of a warp have operations of all kinds, so what kinds have in common is done together: a leaf is found, what it and
    // the first leaf of the variable that comes know is read; then one leaf is unlinked, and one linked. A lane waits long for
    // what it reads, so it asks for all that it can before it uses any: what no operation needs costs little.

    MEMBER i32 attempt(u32 leaves, bool inserts, bool deletes, bool vain, u32 site, i32 side, u32 code, i32 least) {
        if (vain) return 0;
        u32 kinds = kept(inserts + 2 * deletes);
        inserts = kinds & 1, deletes = kinds > 1, site = kept(site), side = (i32)kept(side), code = kept(code);
        u32 variable = code >> 1, end = 2 * leaves - (deletes ? 2 : 0);  // of the register, where free nodes begin afterwards
        u32 node = leaves == 0 ? NOBODY : register_[site >= leaves ? 2 * (site - leaves) + 1 : 2 * site];
        u32 head = first[variable], spare = register_[end], spare_join = end > 0 ? register_[end - 1] : (Link)TOP;
        if (deletes) head = NOBODY;
        Leaf foremost = nodes.read(head);
        u32 leaf = node, hook = ROOT;
        if (node & 1) {
            Join below = nodes.read_join(node);
            hook = below.hook, leaf = edge_of(side == 1 ? below.child[RIGHT] : below.child[LEFT], side);
        }
        Leaf known = nodes.read(leaf), second = nodes.read(foremost.later);
        if (leaf == node) hook = known.hook;
        u32 beyond = leaves == 0 || !inserts ? (u32)NOBODY : side == 1 ? known.after : known.before;
        Label other = nodes.leaf(beyond).label;
        Join gone = nodes.read_join(JOIN_OF(known.hook));
        i32 comes = ~code & 1, goes = ~known.terminal & 1, next = nodes.is_positive(known.later);

        bool same = !inserts && !deletes && (u32)known.terminal >> 1 == variable;
        Label bound = known.label + (inserts ? side : 1);  // the new leaf comes before all that have this label or a higher one
        bool comes_first = !deletes && bound <= foremost.label;
        i32 gain = !inserts && known.earlier == NOBODY ? next - goes : 0;
        gain += comes_first ? comes - (i32)(~foremost.terminal & 1) : 0;
        if (same) gain = head == leaf ? comes - goes : 0;
        if (gain < least) return gain;
        if (same) {
            nodes.leaf(leaf).terminal = (Link)code;
            return gain;
        }
        u32 here = NOBODY, following = head;
        if (!comes_first && !deletes) {
            here = head, following = foremost.later;
            while (second.label < bound) {
                here = following, following = second.later;
                second = nodes.read(following);
            }
        }
        if (!inserts) unlink(known);
        if (deletes) {
            cut(leaves, leaf, known, gone, site, spare, spare_join);
        } else {
            if (inserts) {
                known = graft(leaves, node, hook, leaf, known, beyond, other, side, code, spare, spare_join);
                leaf = spare;
            }
            known.terminal = (Link)code;
            link(leaf, known, variable, here, following);
        }
        return gain;
    }

    // ---- several operations, made one after the other and taken back if they are rejected

    MEMBER i32 make(const Law& law, u32 leaves, Kind kind, i32 site, i32 side, i32 code, Entry& entry) {
        entry.kind = kind, entry.site = site, entry.old = -1, entry.comes = code;
        if (kind == DELETE ? !can_delete(law, leaves) : code < 0) return 0;
        if (kind != INSERT) {  // all that a leaf and its join knew: their slots may be used again before this is taken back
            entry.leaf = nodes.leaf(register_[2 * site]);
            entry.join = nodes.join(JOIN_OF(entry.leaf.hook));
            entry.old = entry.leaf.terminal;
        }
        return attempt(leaves, kind == INSERT, kind == DELETE, false, site, side, kind == DELETE ? 0 : code, ALWAYS);
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
        const Leaf& known = entry.leaf;
        u32 leaf = register_[2 * leaves];
        swap_leaves(leaf, leaves, register_[2 * entry.site], entry.site);
        if (leaves == 0) {
            nodes.hanging(ROOT) = (Link)leaf;
        } else {
            u32 join = JOIN_OF(known.hook), place = entry.join.place;
            swap_joins(join, leaves - 1, register_[2 * place + 1], place);
            nodes.hanging(entry.join.hook) = (Link)join;
            nodes.write_join(join, entry.join);
            nodes.hook(entry.join.child[~known.hook & 1]) = (Link)(known.hook ^ 1);
        }
        nodes.leaf(leaf) = known;
        nodes.leaf(known.before).after = (Link)leaf;
        nodes.leaf(known.after).before = (Link)leaf;
        bool too_low = known.before != NOBODY && nodes.leaf(known.before).label >= known.label;
        if (too_low || nodes.leaf(known.after).label <= known.label) {  // others were labelled anew
            Label low = nodes.leaf(known.before).label, high = nodes.leaf(known.after).label;
            nodes.leaf(leaf).label = nodes.label_between(leaf, known.before, known.after, low, high);
        }
        nodes.leaf(known.later).earlier = (Link)leaf;
        if (known.earlier != NOBODY) {
            nodes.leaf(known.earlier).later = (Link)leaf;
            return;
        }
        first[entry.old >> 1] = (Link)leaf;
        if (STRICT) *present += known.later == NOBODY;
    }

    // ---- stuck: gpruntime.model.problems.expressing, in engine/stuck.py and engine/problems/order.py

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
                leaf = nodes.leaf(leaf).later;
                looked += 1;
            }
            if (looked > 0 && nodes.is_positive(leaf)) return true;
        }
        return false;
    }
};
