// A lane's memory. In shared memory the words of all lanes of a block are interleaved, so that a lane has a bank of its
// own and none waits for another. In global memory a lane's words stand together: lanes look at places that have nothing
// to do with each other, so nothing is gained by interleaving, and what is near the end of a register stays near.
template <class T> struct Together {
    T* base;
    MEMBER Together(u32* row, u32*, u32 begin, u32) : base((T*)(row + begin)) {}
    MEMBER T get(u32 i) const { return base[i]; }
    MEMBER void put(u32 i, T value) const { base[i] = value; }
};

template <class T> struct Interleaved {
    u8* base;
    MEMBER Interleaved(u32*, u32* shared, u32 begin, u32 lane) : base((u8*)(shared + begin * LANES + lane)) {}
    MEMBER static u32 place(u32 i) {
        const u32 per = 4 / sizeof(T);
        return (i / per) * (4 * LANES) + (i % per) * (u32)sizeof(T);
    }
    MEMBER T get(u32 i) const { return *(T*)(base + place(i)); }
    MEMBER void put(u32 i, T value) const { *(T*)(base + place(i)) = value; }
};

template <class T, bool SHARED> struct Choose { typedef Together<T> Field; };
template <class T> struct Choose<T, true> { typedef Interleaved<T> Field; };

// Words of a lane's row between two places, to and from shared memory.
INLINED void to_shared(const u32* row, u32* shared, u32 lane, u32 begin, u32 end) {
#pragma unroll 4
    for (u32 i = begin; i < end; i++) shared[i * LANES + lane] = row[i];
}

INLINED void from_shared(u32* row, const u32* shared, u32 lane, u32 begin, u32 end) {
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
