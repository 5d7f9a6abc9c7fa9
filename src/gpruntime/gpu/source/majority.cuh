// MAJORITY: gpruntime.engine.problems.majority. A tree is the register of its terminals, and counts.
//
// The counts c(x_i), c(x̄_i) of a variable stand in one number, COUNT_BITS each. Variable n is nobody's: always expressed,
// and nothing is ever written to it. An insertion takes a leaf out of nobody's, and a deletion brings one in.
#if TERMINAL_BITS == 8
typedef u8 Terminal;
#elif TERMINAL_BITS == 16
typedef u16 Terminal;
#else
typedef u32 Terminal;
#endif
#if COUNT_BITS == 4
typedef u8 Pair;
#elif COUNT_BITS == 8
typedef u16 Pair;
#else
typedef u32 Pair;
#endif
#define MOST_COUNT ((1u << COUNT_BITS) - 1)
#define NOBODYS_PAIR (MOST_COUNT / 2)
enum { CLASSES, COUNTS, REGISTER, END };  // Law.places
enum { ABSENT = 0, EXPRESSED = 7 };

INLINED u32 plain_of(u32 pair) { return pair & MOST_COUNT; }
INLINED u32 bar_of(u32 pair) { return pair >> COUNT_BITS; }
INLINED u32 one_of(u32 code) { return code & 1 ? 1u << COUNT_BITS : 1u; }
INLINED i32 is_expressed(u32 pair) { return plain_of(pair) >= larger(bar_of(pair), 1u); }

// What one leaf less, or one more, of this terminal adds to the fitness. With m = max(c(x̄_i), 1), variable i is expressed if
// c(x_i) ≥ m. So the loss of an x_i matters if c(x_i) = m, and of an x̄_i if c(x_i) = m − 1 ≥ 1; an x_i that comes matters if
// c(x_i) = m − 1, and an x̄_i if c(x_i) = m = c(x̄_i).
INLINED i32 gain_without(u32 pair, u32 code) {
    u32 plain = plain_of(pair), bar = code & 1;
    bool matters = plain + bar == larger(bar_of(pair), 1u) && plain >= bar;
    return matters ? (i32)(2 * bar) - 1 : 0;
}
INLINED i32 gain_with(u32 pair, u32 code) {
    u32 plain = plain_of(pair), bars = bar_of(pair), bar = code & 1;
    bool matters = plain + 1 - bar == larger(bars, 1u) && bars >= bar;
    return matters ? 1 - (i32)(2 * bar) : 0;
}

// 0 absent    1, 2: deficit 1 without, with an x_i    3, 4: 2    5, 6: 3 or more    7 expressed
INLINED u32 class_of(u32 pair) {
    u32 plain = plain_of(pair), bar = bar_of(pair);
    if (bar <= plain) return plain > 0 ? EXPRESSED : ABSENT;
    return 2 * smaller(bar - plain, 3u) - 1 + (plain > 0);
}

struct Entry {
    u32 kind, site;
    i32 old, comes;
};

struct Tree {
    Choose<Terminal, COUNTS_SHARED>::Field classes;  // kept up for strict acceptance only
    Choose<Pair, COUNTS_SHARED>::Field counts;
    Choose<Terminal, REGISTER_SHARED>::Field leaf;
    u32 nobody;
    u32 full;  // a count has come to its largest number: there is no room for what may come

    MEMBER Tree(const Law& law, u32* row, u32* shared, u32 lane)
        : classes(row, shared, law.places[CLASSES], lane),
          counts(row, shared, law.places[COUNTS], lane),
          leaf(row, shared, law.places[REGISTER], lane),
          nobody(kept(2 * law.n)),
          full(0) {}

    // ---- between rows in global memory and this lane

    MEMBER static void load(const Law& law, u32* row, const u32* from, u32* shared, u32 lane, u32 leaves) {
        u32 end = law.places[REGISTER] + (leaves * (u32)sizeof(Terminal) + 3) / 4;
        u32 in_shared = REGISTER_SHARED ? end : COUNTS_SHARED ? law.places[REGISTER] : 0;
        to_shared(from, shared, lane, 0, in_shared);
        if (row != from) copy_words(row + in_shared, from + in_shared, end - in_shared);
    }
    MEMBER static void save(const Law& law, u32* row, const u32* shared, u32 lane, u32 leaves) {
        u32 end = law.places[REGISTER] + (leaves * (u32)sizeof(Terminal) + 3) / 4;
        from_shared(row, shared, lane, 0, REGISTER_SHARED ? end : COUNTS_SHARED ? law.places[REGISTER] : 0);
    }

    // ---- planting: gpruntime.engine.initial

    MEMBER u32 plant(const Law& law, Scratch, Stream& s, i32& fitness) {
        bool grows = law.init == GROW, unity = law.init == UNITY, given = law.init == ::TREE || law.init == BALANCED;
        for (u32 i = 0; i < law.n; i++) counts.put(i, 0);
        counts.put(law.n, NOBODYS_PAIR);
        if (!given && !grows)
            for (u32 leaves = unity ? 2 : 1; leaves < law.planted; leaves++) below(s, unity ? leaves : 4 * leaves - 2);
        u32 leaves = 0, waiting = grows ? 1 : law.planted;
        while (waiting > 0) {
            if (grows && leaves + waiting < law.planted && (word(s) >> 11) < law.join) {
                waiting += 1;
            } else {
                u32 code = given ? law.given[leaves] : below(s, nobody);
                leaf.put(leaves, code);
                add(code);
                leaves += 1;
                waiting -= 1;
            }
        }
        fitness = 0;
        if (STRICT)
            for (u32 i = 0; i < 8; i++) classes.put(i, 0);
        for (u32 i = 0; i < law.n; i++) {
            u32 pair = counts.get(i);
            fitness += is_expressed(pair);
            if (STRICT) classes.put(class_of(pair), classes.get(class_of(pair)) + 1);
        }
        return leaves;
    }
    MEMBER void add(u32 code) {
        u32 more = counts.get(code >> 1) + (full ? 0 : one_of(code));
        note_full(more);
        counts.put(code >> 1, more);
    }
    MEMBER void note_full(u32 pair) { full |= plain_of(pair) == MOST_COUNT || bar_of(pair) == MOST_COUNT; }
    MEMBER bool is_full() const { return full != 0; }

    // ---- one operation, judged first and made if it is accepted. There is no branch on its kind.

    MEMBER i32 attempt(u32 leaves, bool inserts, bool deletes, bool vain, u32 site, i32, u32 code, i32 least) {
        bool takes = !inserts && !vain, brings = !deletes && !vain;
        u32 old = leaf.get_if(takes, site, nobody), comes = brings ? code : nobody;
        u32 had = counts.get(old >> 1), less = had - one_of(old);
        u32 has = counts.get(comes >> 1);
        if (old >> 1 == comes >> 1) has = less;
        u32 more = has + one_of(comes);
        i32 gain = gain_without(had, old) + gain_with(has, comes);
        bool accepted = gain >= least;
        if (STRICT && accepted) {
            if (takes) change_class(had, less);
            if (brings) change_class(has, more);
        }
        counts.put_if(accepted && takes, old >> 1, less);
        counts.put_if(accepted && brings, comes >> 1, more);
        if (accepted && brings) note_full(more);
        u32 value = leaf.get_if(deletes && !vain, leaves - 1, code);
        leaf.put_if(accepted && !vain, inserts ? leaves : site, value);
        return gain;
    }
    MEMBER void change_class(u32 before, u32 after) {
        u32 one = class_of(before), other = class_of(after);
        classes.put(one, classes.get(one) - 1);
        classes.put(other, classes.get(other) + 1);
    }

    // ---- several operations, made one after the other and taken back if they are rejected

    MEMBER i32 change(u32 code, bool comes) {
        u32 before = counts.get(code >> 1), after = comes ? before + one_of(code) : before - one_of(code);
        counts.put(code >> 1, after);
        note_full(after);
        if (STRICT) change_class(before, after);
        return is_expressed(after) - is_expressed(before);
    }
    MEMBER i32 make(const Law& law, u32 leaves, Kind kind, i32 site, i32, i32 code, Entry& entry) {
        entry.kind = kind, entry.site = site, entry.old = -1, entry.comes = code;
        i32 gain = 0;
        if (kind == INSERT) {
            leaf.put(leaves, code);
        } else if ((kind == DELETE && can_delete(law, leaves)) || code >= 0) {
            entry.old = leaf.get(site);
            gain = change(entry.old, false);
            leaf.put(site, kind == DELETE ? (u32)leaf.get(leaves - 1) : code);
        }
        return code >= 0 ? gain + change(code, true) : gain;
    }
    MEMBER u32 undo(const Law&, u32 leaves, const Entry& entry) {
        if (entry.comes >= 0) {
            change(entry.comes, false);
            leaves -= 1;
        }
        if (entry.old >= 0) {
            change(entry.old, true);
            if (entry.comes < 0) leaf.put(leaves, leaf.get(entry.site));
            leaf.put(entry.site, entry.old);
            leaves += 1;
        }
        return leaves;
    }

    // ---- stuck: gpruntime.model.problems.expressing, in engine/stuck.py and engine/problems/majority.py

    MEMBER bool is_stuck(const Law& law, u32 leaves, i32 fitness) const {
        if (!STRICT) return weakly_stuck(law, leaves, fitness);
        bool insert = law.inserts, substitute = law.substitutes, remove = law.deletes;
        u32 room = law.limit - leaves;
        if (law.most > 1) {
            if (substitute) return (i32)leaves == fitness && !insert;
            if (insert && (remove || law.limit == NO_LIMIT)) return false;
            if (!insert) return classes.get(2) + classes.get(4) + classes.get(6) == 0;
            for (u32 i = 0; i < law.n; i++) {  // only insertions, and little room: rare enough for a look at all
                u32 pair = counts.get(i), plain = plain_of(pair), bar = bar_of(pair);
                if (!is_expressed(pair) && (bar > plain ? larger(bar - plain, 1u) : 1u) <= room) return false;
            }
            return true;
        }
        insert = insert && room > 0;
        if (substitute && classes.get(3) + classes.get(4) > 0) return false;
        if ((substitute || insert) && classes.get(1) + classes.get(2) > 0) return false;
        if (remove && classes.get(2) > 0) return false;
        return !(classes.get(ABSENT) > 0 && (insert || (substitute && (i32)leaves > fitness)));
    }
};
