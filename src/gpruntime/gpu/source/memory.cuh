// A lane's memory. In shared memory the words of all lanes of a block are interleaved, so that a lane has a bank of its
// own and none waits for another. In global memory a lane's words stand together: lanes look at places that have nothing
// to do with each other, so nothing is gained by interleaving, and what is near the end of a register stays near.
//
// `get_if` and `put_if` do something only if they are told to, without a branch where the device can.
template <class T> struct Together {
    T* base;
    MEMBER Together(u32* row, u32*, u32 begin, u32) : base((T*)(row + begin)) {}
    MEMBER u32 get(u32 i) const { return base[i]; }
    MEMBER void put(u32 i, u32 value) const { base[i] = (T)value; }
    MEMBER u32 get_if(bool told, u32 i, u32 otherwise) const { return told ? (u32)base[i] : otherwise; }
    MEMBER void put_if(bool told, u32 i, u32 value) const {
        if (told) base[i] = (T)value;
    }
};

#if ON_DEVICE
// Through addresses of shared memory, which a compiler left to itself works out anew for every access.
#define IF_TOLD "{ .reg .pred told; setp.ne.u32 told, %2, 0; @told "
#define LOAD(kind) asm volatile(IF_TOLD "ld.shared." kind " %0, [%1]; }" : "+r"(value) : "r"(address), "r"((u32)told))
#define STORE(kind) asm volatile(IF_TOLD "st.shared." kind " [%1], %0; }" ::"r"(value), "r"(address), "r"((u32)told))
template <class T> struct Interleaved {
    u32 base;
    MEMBER Interleaved(u32*, u32* shared, u32 begin, u32 lane)
        : base((u32)__cvta_generic_to_shared(shared + begin * LANES + lane)) {
        asm volatile("" : "+r"(base));
    }
    MEMBER u32 place(u32 i) const {
        const u32 size = sizeof(T), inside = i % (4 / size);
        return base + i * (LANES * size) - inside * (LANES * size - size);
    }
    MEMBER u32 get_if(bool told, u32 i, u32 value) const {
        u32 address = place(i);
        if (sizeof(T) == 1) LOAD("u8");
        if (sizeof(T) == 2) LOAD("u16");
        if (sizeof(T) == 4) LOAD("u32");
        return value;
    }
    MEMBER void put_if(bool told, u32 i, u32 value) const {
        u32 address = place(i);
        if (sizeof(T) == 1) STORE("u8");
        if (sizeof(T) == 2) STORE("u16");
        if (sizeof(T) == 4) STORE("u32");
    }
    MEMBER u32 get(u32 i) const { return get_if(true, i, 0); }
    MEMBER void put(u32 i, u32 value) const { put_if(true, i, value); }
};
#define SETTLE_SHARED asm volatile("" ::: "memory")
#else
template <class T> struct Interleaved {
    u8* base;
    Interleaved(u32*, u32* shared, u32 begin, u32 lane) : base((u8*)(shared + begin * LANES + lane)) {}
    T* place(u32 i) const {
        const u32 size = sizeof(T), inside = i % (4 / size);
        return (T*)(base + i * (LANES * size) - inside * (LANES * size - size));
    }
    u32 get(u32 i) const { return *place(i); }
    void put(u32 i, u32 value) const { *place(i) = (T)value; }
    u32 get_if(bool told, u32 i, u32 otherwise) const { return told ? get(i) : otherwise; }
    void put_if(bool told, u32 i, u32 value) const {
        if (told) put(i, value);
    }
};
#define SETTLE_SHARED
#endif

template <class T, bool SHARED> struct Choose { typedef Together<T> Field; };
template <class T> struct Choose<T, true> { typedef Interleaved<T> Field; };

// Words of a lane's row between two places, to and from shared memory.
INLINED void to_shared(const u32* row, u32* shared, u32 lane, u32 begin, u32 end) {
#pragma unroll 4
    for (u32 i = begin; i < end; i++) shared[i * LANES + lane] = row[i];
    SETTLE_SHARED;
}

INLINED void from_shared(u32* row, const u32* shared, u32 lane, u32 begin, u32 end) {
    SETTLE_SHARED;
#pragma unroll 4
    for (u32 i = begin; i < end; i++) row[i] = shared[i * LANES + lane];
}

struct alignas(16) Four {
    u32 words[4];
};

// Both begin at a multiple of 16 bytes.
INLINED void copy_words(u32* to, const u32* from, u32 words) {
#pragma unroll 8
    for (u32 i = 0; i < words / 4; i++) ((Four*)to)[i] = ((const Four*)from)[i];
    for (u32 i = words & ~3u; i < words; i++) to[i] = from[i];
}

// Numbers of a planter, interleaved with those of the others of its block, which mostly look at the same place.
#if SCRATCH_BITS == 16
typedef short Number;
#else
typedef i32 Number;
#endif
struct Scratch {
    Number* base;
    MEMBER Number& operator[](u32 i) const { return base[(u64)i * PLANTERS]; }
    MEMBER Scratch operator+(u32 i) const { return {base + (u64)i * PLANTERS}; }
};
