// The words of the device's compiler, and the same for the host's, where lanes come one after the other.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define ON_DEVICE 1
#define INLINED __device__ __forceinline__
#define MEMBER __device__ __forceinline__
#else
#define ON_DEVICE 0
#define INLINED static inline
#define MEMBER inline
#endif

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;

// The next number of a counter that all lanes share.
INLINED u32 take_next(u32* counter) {
#if ON_DEVICE
    return atomicAdd(counter, 1u);
#else
    return (*counter)++;
#endif
}

// The lanes of a warp go in step: each says whether it waits, and learns which others do. On the host a lane is alone.
#if ON_DEVICE
#define EVERY_LANE (0xffffffffu >> (32 - WARP_LANES))
INLINED u32 waiting_lanes(bool waits) { return __ballot_sync(EVERY_LANE, waits); }
INLINED u32 how_many(u32 lanes) { return __popc(lanes); }
#else
INLINED u32 waiting_lanes(bool waits) { return waits; }
INLINED u32 how_many(u32 lanes) { return lanes * GATHER; }
#define EVERY_LANE 1u
#endif

// A number that is kept in a register: the compiler is not to work it out again where it is used.
INLINED u32 kept(u32 number) {
#if ON_DEVICE
    asm volatile("" : "+r"(number));
#endif
    return number;
}

template <class T> INLINED T larger(T a, T b) { return a > b ? a : b; }
template <class T> INLINED T smaller(T a, T b) { return a < b ? a : b; }
