// The two kernels, on the device and on the host.
//
// Set by whoever compiles: LANES of a block, the problem, MULTI, MOST, STRICT, STICKS, DIALECT, GATHER,
// and what the problem asks for.
#include "base.cuh"
#include "law.cuh"
#include "random.cuh"
#include "memory.cuh"
#include PROBLEM
#include "run.cuh"

#if ON_DEVICE
extern __shared__ u32 shared_memory[];
extern "C" __global__ void __launch_bounds__(LANES, BLOCKS) plant(const Law law, const Job job) {
    plant_runs(law, job, blockIdx.x, threadIdx.x, shared_memory);
}
extern "C" __global__ void __launch_bounds__(LANES, BLOCKS) advance(const Law law, const Job job) {
    advance_lane(law, job, blockIdx.x, threadIdx.x, shared_memory);
}
#else
extern "C" void plant(const Law* law, const Job* job, u32* shared) {
    for (u32 id = 0; id < job->number_of_lanes; id++) plant_runs(*law, *job, id / LANES, id % LANES, shared);
}
extern "C" void advance(const Law* law, const Job* job, u32* shared) {
    for (u32 id = 0; id < job->number_of_lanes; id++) advance_lane(*law, *job, id / LANES, id % LANES, shared);
}
#endif
