// The two kernels, on the device and on the host.
//
// Set by whoever compiles: LANES of a block, WARP_LANES of a warp, the problem, MULTI, MOST, STRICT, STICKS, DIALECT, GATHER,
// and what the problem asks for.
#include "base.cuh"
#include "law.cuh"
#include "random.cuh"
#include "memory.cuh"
#include PROBLEM
#include "run.cuh"

#if ON_DEVICE
// Of the 32 threads of a warp, WARP_LANES are lanes; the others have nothing to do.
#define THREADS (LANES / WARP_LANES * 32)
#define ENTRY extern "C" __global__ void __launch_bounds__(THREADS, 1)
extern __shared__ u32 shared_memory[];
INLINED bool is_lane() { return threadIdx.x % 32 < WARP_LANES; }
INLINED u32 lane_number() { return threadIdx.x / 32 * WARP_LANES + threadIdx.x % 32; }

ENTRY plant(const Law law, const Job job) {
    if (is_lane()) plant_runs(law, job, blockIdx.x, lane_number(), shared_memory);
}
ENTRY advance(const Law law, const Job job) {
    if (is_lane()) advance_lane(law, job, blockIdx.x, lane_number(), shared_memory);
}
#else
extern "C" void plant(const Law* law, const Job* job, u32* shared) {
    for (u32 id = 0; id < job->number_of_lanes; id++) plant_runs(*law, *job, id / LANES, id % LANES, shared);
}
extern "C" void advance(const Law* law, const Job* job, u32* shared) {
    for (u32 id = 0; id < job->number_of_lanes; id++) advance_lane(*law, *job, id / LANES, id % LANES, shared);
}
#endif
