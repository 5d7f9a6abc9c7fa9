// Initial trees that are planted: gpruntime.engine.initial, draw for draw.
//
// `scratch` has four numbers a leaf: the drawn shape, and from STACK on room to work.
#define STACK(law) (2 * (law).planted)

// How many leaves each join has to its left, joins in pre-order.
INLINED void draw_unity(const Law& law, Scratch scratch, Stream& s) {
    u32 leaves = law.planted;
    Scratch shape = scratch, held = shape + leaves, opened = scratch + STACK(law);
    Scratch left_of = opened + leaves;
    for (u32 position = 0; position < leaves; position++) {
        opened[position] = position > 1 ? (i32)below(s, position) : 0;
        held[position] = 1;  // the size of what a position holds
    }
    for (u32 q = leaves - 1; q > 0; q--) {
        i32 p = opened[q];
        left_of[q] = held[p];
        held[p] += held[q];
    }
    held[0] = 0;  // from now on the number of the join that comes next in pre-order, if a position is opened
    for (u32 q = 1; q < leaves; q++) {
        i32 p = opened[q], join = held[p], left = left_of[q];
        shape[join] = left;
        held[p] = join + 1, held[q] = join + left;
    }
}

// Two children of each join: a leaf's number, or join i as −1 − i. Returns the root.
INLINED i32 draw_insertion(const Law& law, Scratch scratch, Stream& s) {
    u32 leaves = law.planted;
    Scratch places = scratch + STACK(law), shape = scratch;
    i32 root = 0;
    places[0] = -1;
    for (u32 t = 1; t < leaves; t++) {
        u32 place = below(s, 4 * t - 2), node = place >> 1, side = place & 1, join = t - 1;
        u32 where = node < t ? node : leaves + node - t;
        i32 child = node < t ? (i32)node : -1 - (i32)(node - t), above = places[where];
        if (above < 0)
            root = -1 - (i32)join;
        else
            shape[above] = -1 - (i32)join;
        places[leaves + join] = above;
        shape[2 * join + side] = (i32)t, shape[2 * join + 1 - side] = child;
        places[t] = 2 * join + side, places[where] = 2 * join + 1 - side;
    }
    return root;
}

// Walks the shape in pre-order and writes leaves and joins; returns the number of leaves.
INLINED u32 plant_shape(const Law& law, const Nodes& nodes, Scratch scratch, Stream& s) {
    i32 root = 0;
    if (law.init == UNITY) draw_unity(law, scratch, s);
    if (law.init == INSERTION) root = draw_insertion(law, scratch, s);
    Scratch shape = scratch, stack = scratch + STACK(law);
    bool by_size = law.init == UNITY || law.init == BALANCED, fixed = law.init == TREE || law.init == BALANCED;
    stack[0] = by_size ? (i32)law.planted : root, stack[1] = -2;
    u32 waiting = 1, joins = 0, leaves = 0;
    while (waiting > 0) {
        waiting -= 1;
        i32 node = stack[2 * waiting], place = stack[2 * waiting + 1];
        u32 hook = (u32)(place + 2), child;  // join i has slot i + 1, and TOP the slot before the first
        bool is_join = by_size                  ? node > 1
                       : law.init == INSERTION ? node < 0
                       : law.init == TREE      ? law.given[law.planted + joins + leaves] > 0
                                               : leaves + waiting + 1 < law.planted && (word(s) >> 11) < law.join;
        if (is_join) {
            i32 left = 0, right = 0;
            if (by_size) {
                left = law.init == UNITY ? shape[joins] : (node + 1) / 2;
                right = node - left;
            } else if (law.init == INSERTION) {
                left = shape[2 * (-1 - node)], right = shape[2 * (-1 - node) + 1];
            }
            stack[2 * waiting] = right, stack[2 * waiting + 1] = 2 * (i32)joins + 1;
            stack[2 * waiting + 2] = left, stack[2 * waiting + 3] = 2 * (i32)joins;
            waiting += 2;
            child = 2 * (joins + 1) + 1;
            Join& join = nodes.join(child);
            join.hook = (Link)hook, join.place = (Link)joins;
            joins += 1;
        } else {
            child = 2 * (leaves + 1);
            Leaf leaf = {};
            leaf.hook = (Link)hook, leaf.before = (Link)(child - 2), leaf.after = (Link)(child + 2);
            leaf.label = MIDDLE + SPAN / (Label)law.planted * (Label)leaves;
            leaf.terminal = (Link)(fixed ? (u32)law.given[leaves] : below(s, 2 * law.n));
            nodes.write(child, leaf);
            leaves += 1;
        }
        nodes.hanging(hook) = (Link)child;
    }
    nodes.leaf(2 * leaves).after = NOBODY;
    return leaves;
}
