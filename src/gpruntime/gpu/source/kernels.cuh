// The kernels, on the device and on the host.
//
// Set by whoever compiles: LANES of a block, WARP_LANES of a warp, PLANTERS, the problem, MULTI, MOST, STRICT, STICKS, DIALECT, GATHER,
// and what the problem asks for.
#include "base.cuh"
#include "law.cuh"
#include "random.cuh"
#include "memory.cuh"
#include PROBLEM
#include "run.cuh"
#include "tally.cuh"

#if ON_DEVICE
// Of the 32 threads of a warp, WARP_LANES are lanes; the others have nothing to do.
#define THREADS (LANES / WARP_LANES * 32)
extern __shared__ u32 shared_memory[];
INLINED bool is_lane() { return threadIdx.x % 32 < WARP_LANES; }
INLINED u32 lane_number() { return threadIdx.x / 32 * WARP_LANES + threadIdx.x % 32; }

extern "C" __global__ void __launch_bounds__(PLANTERS, 1) plant(const Law law, const Job job) {
    plant_runs(law, job, blockIdx.x, threadIdx.x, shared_memory);
}
extern "C" __global__ void __launch_bounds__(THREADS, 1) advance(const Law law, const Job job) {
    if (is_lane()) advance_lane(law, job, blockIdx.x, lane_number(), shared_memory);
}
// The histogram of a block is in shared memory until it is complete.
extern "C" __global__ void add_up(const Tally tally) {
    for (u32 i = threadIdx.x; i < tally.bins; i += blockDim.x) shared_memory[i] = 0;
    __syncthreads();
    u64 sums[SUMS] = {};
    for (u32 row = blockIdx.x * blockDim.x + threadIdx.x; row < tally.rows; row += gridDim.x * blockDim.x) {
        i32 bin = add_row(tally, row, sums);
        if (bin >= 0) atomicAdd(shared_memory + bin, 1u);
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < tally.bins; i += blockDim.x)
        if (shared_memory[i] > 0) atomicAdd(tally.histogram + i, (u64)shared_memory[i]);
#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        for (int step = 16; step > 0; step /= 2) sums[i] += __shfl_down_sync(0xffffffffu, sums[i], step);
        if (threadIdx.x % 32 == 0) atomicAdd(tally.sums + i, sums[i]);
    }
}
#else
extern "C" void plant(const Law* law, const Job* job, u32* shared) {
    for (u32 id = 0; id < job->number_of_planters; id++) plant_runs(*law, *job, id / PLANTERS, id % PLANTERS, shared);
}
extern "C" void advance(const Law* law, const Job* job, u32* shared) {
    for (u32 id = 0; id < job->number_of_lanes; id++) advance_lane(*law, *job, id / LANES, id % LANES, shared);
}
extern "C" void add_up(const Tally* tally, u32*) {
    for (u32 row = 0; row < tally->rows; row++) {
        i32 bin = add_row(*tally, row, tally->sums);
        if (bin >= 0) tally->histogram[bin] += 1;
    }
}
#endif
