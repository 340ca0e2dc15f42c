// CUDA C++ as ordinary C++: enough of the language to compile a printed kernel for the host and run it there.
//
// A launch runs one block after another. Threads of a block run one after another too; where a kernel has barriers each
// has a stack of its own (ucontext), and a barrier is a switch to the next. `__shared__` becomes `static`: one copy, as
// there is one block at a time. The Python side makes sure that one launch runs at a time.
#pragma once

#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS  // C's own headers, not C++'s around them: half the time to compile
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __constant__ static const
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __restrict__ __restrict

struct xpu_host_dim3 {
    unsigned int x, y, z;
};

static xpu_host_dim3 threadIdx, blockIdx, blockDim, gridDim;
static const int warpSize = 32;

// ------------------------------------------------------------------------------------------------------ functions

static inline float rsqrtf(float a) { return 1.0f / sqrtf(a); }
static inline double rsqrt(double a) { return 1.0 / sqrt(a); }
static inline int __popc(unsigned int a) { return __builtin_popcount(a); }
static inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
static inline int __clz(int a) { return a ? __builtin_clz((unsigned int)a) : 32; }
static inline int __clzll(long long a) { return a ? __builtin_clzll((unsigned long long)a) : 64; }

template <typename To, typename From>
static inline To xpu_host_bits(From value) {
    static_assert(sizeof(To) == sizeof(From), "the same width");
    To result;
    memcpy(&result, &value, sizeof(To));
    return result;
}
static inline float __int_as_float(int a) { return xpu_host_bits<float>(a); }
static inline float __uint_as_float(unsigned int a) { return xpu_host_bits<float>(a); }
static inline int __float_as_int(float a) { return xpu_host_bits<int>(a); }
static inline unsigned int __float_as_uint(float a) { return xpu_host_bits<unsigned int>(a); }
static inline double __longlong_as_double(long long a) { return xpu_host_bits<double>(a); }
static inline long long __double_as_longlong(double a) { return xpu_host_bits<long long>(a); }
static inline void __threadfence() {}
static inline void __threadfence_block() {}
[[noreturn]] static inline void __trap() { abort(); }

// Atomics exist for the types for which CUDA has them, no others, so that a wrong call does not compile here either.
// Threads take turns, so plain code is atomic.
#define XPU_HOST_ATOMIC(name, T, expression)                                                                           \
    static inline T name(T* address, T value) {                                                                        \
        T old = *address;                                                                                              \
        *address = (expression);                                                                                       \
        return old;                                                                                                    \
    }
#define XPU_HOST_ORDER(T)                                                                                              \
    XPU_HOST_ATOMIC(atomicMin, T, old < value ? old : value)                                                           \
    XPU_HOST_ATOMIC(atomicMax, T, old > value ? old : value)
#define XPU_HOST_BITS(T)                                                                                               \
    XPU_HOST_ATOMIC(atomicAnd, T, old & value)                                                                         \
    XPU_HOST_ATOMIC(atomicOr, T, old | value)                                                                          \
    XPU_HOST_ATOMIC(atomicXor, T, old ^ value)
XPU_HOST_ORDER(int)
XPU_HOST_ORDER(unsigned int)
XPU_HOST_ORDER(long long)
XPU_HOST_ORDER(unsigned long long)
XPU_HOST_BITS(int)
XPU_HOST_BITS(unsigned int)
XPU_HOST_BITS(unsigned long long)
XPU_HOST_ATOMIC(atomicAdd, int, (int)((unsigned int)old + (unsigned int)value))
XPU_HOST_ATOMIC(atomicAdd, unsigned int, old + value)
XPU_HOST_ATOMIC(atomicAdd, unsigned long long, old + value)
XPU_HOST_ATOMIC(atomicAdd, float, old + value)
XPU_HOST_ATOMIC(atomicAdd, double, old + value)
XPU_HOST_ATOMIC(atomicSub, int, (int)((unsigned int)old - (unsigned int)value))
XPU_HOST_ATOMIC(atomicSub, unsigned int, old - value)
XPU_HOST_ATOMIC(atomicExch, int, value)
XPU_HOST_ATOMIC(atomicExch, unsigned int, value)
XPU_HOST_ATOMIC(atomicExch, unsigned long long, value)
XPU_HOST_ATOMIC(atomicExch, float, value)
#define XPU_HOST_CAS(T)                                                                                                \
    static inline T atomicCAS(T* address, T expected, T value) {                                                       \
        T old = *address;                                                                                              \
        *address = old == expected ? value : old;                                                                      \
        return old;                                                                                                    \
    }
XPU_HOST_CAS(int)
XPU_HOST_CAS(unsigned int)
XPU_HOST_CAS(unsigned short)
XPU_HOST_CAS(unsigned long long)

// ------------------------------------------------------------------------------------------------- running a block

static const size_t xpu_host_stack_bytes = 256 * 1024;

struct xpu_host_thread {
    ucontext_t context;
    xpu_host_dim3 index;
    bool finished;
};

static ucontext_t xpu_host_scheduler;
static xpu_host_thread* xpu_host_current;
static int xpu_host_waiting;
static int xpu_host_divergent;

static inline void __syncthreads() {
    xpu_host_waiting++;
    swapcontext(&xpu_host_current->context, &xpu_host_scheduler);
}

struct xpu_host_launch {
    void (*body)(void**);
    void** arguments;
};
static xpu_host_launch xpu_host_job;

static void xpu_host_entry() {
    xpu_host_job.body(xpu_host_job.arguments);
    xpu_host_current->finished = true;
    swapcontext(&xpu_host_current->context, &xpu_host_scheduler);
}

static void xpu_host_block_with_barriers(xpu_host_thread* threads, char* stacks, unsigned int count) {
    for (unsigned int n = 0; n < count; n++) {
        xpu_host_thread& thread = threads[n];
        thread.finished = false;
        thread.index = {n % blockDim.x, n / blockDim.x % blockDim.y, n / blockDim.x / blockDim.y};
        getcontext(&thread.context);
        thread.context.uc_stack.ss_sp = stacks + n * xpu_host_stack_bytes;
        thread.context.uc_stack.ss_size = xpu_host_stack_bytes;
        thread.context.uc_link = 0;
        makecontext(&thread.context, xpu_host_entry, 0);
    }
    for (unsigned int left = count; left != 0;) {
        xpu_host_waiting = 0;
        unsigned int running = left;
        for (unsigned int n = 0; n < count; n++) {
            xpu_host_thread& thread = threads[n];
            if (thread.finished) {
                continue;
            }
            xpu_host_current = &thread;
            threadIdx = thread.index;
            swapcontext(&xpu_host_scheduler, &thread.context);
            left -= thread.finished;
        }
        // A barrier that some threads left out, by returning or by another path, is undefined on a GPU.
        if (xpu_host_waiting != 0 && (unsigned int)xpu_host_waiting != running) {
            xpu_host_divergent = 1;
            return;
        }
    }
}

static int xpu_host_run(void (*body)(void**), void** arguments, const unsigned int* grid, const unsigned int* block,
                        int barriers) {
    gridDim = {grid[0], grid[1], grid[2]};
    blockDim = {block[0], block[1], block[2]};
    unsigned int count = blockDim.x * blockDim.y * blockDim.z;
    xpu_host_job = {body, arguments};
    xpu_host_divergent = 0;
    xpu_host_thread* threads = 0;
    char* stacks = 0;
    if (barriers) {
        threads = (xpu_host_thread*)malloc(count * sizeof(xpu_host_thread));
        stacks = (char*)mmap(0, count * xpu_host_stack_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    for (unsigned int z = 0; z < gridDim.z; z++) {
        for (unsigned int y = 0; y < gridDim.y; y++) {
            for (unsigned int x = 0; x < gridDim.x && !xpu_host_divergent; x++) {
                blockIdx = {x, y, z};
                if (barriers) {
                    xpu_host_block_with_barriers(threads, stacks, count);
                    continue;
                }
                for (threadIdx.z = 0; threadIdx.z < blockDim.z; threadIdx.z++) {
                    for (threadIdx.y = 0; threadIdx.y < blockDim.y; threadIdx.y++) {
                        for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++) {
                            body(arguments);
                        }
                    }
                }
            }
        }
    }
    if (barriers) {
        free(threads);
        munmap(stacks, count * xpu_host_stack_bytes);
    }
    fflush(stdout);
    return xpu_host_divergent;
}

// --------------------------------------------------------------------------------- a kernel's door to the outside

template <int... I>
struct xpu_host_indices {};
template <int N, int... I>
struct xpu_host_count : xpu_host_count<N - 1, N - 1, I...> {};
template <int... I>
struct xpu_host_count<0, I...> {
    typedef xpu_host_indices<I...> type;
};

template <typename... A, int... I>
static inline void xpu_host_call(void (*kernel)(A...), void** arguments, xpu_host_indices<I...>) {
    kernel(*(A*)arguments[I]...);
}
template <typename... A>
static inline void xpu_host_apply(void (*kernel)(A...), void** arguments) {
    xpu_host_call(kernel, arguments, typename xpu_host_count<sizeof...(A)>::type());
}
template <typename... A>
static inline int xpu_host_sizes_of(void (*)(A...), int* sizes) {
    const int all[] = {0, (int)sizeof(A)...};
    for (unsigned int n = 0; n < sizeof...(A); n++) {
        sizes[n] = all[n + 1];
    }
    return (int)sizeof...(A);
}

#define XPU_HOST_EXPORT(kernel, barriers)                                                                              \
    static void kernel##_body(void** arguments) { xpu_host_apply(&kernel, arguments); }                                \
    extern "C" int kernel##_launch(void** arguments, const unsigned int* grid, const unsigned int* block) {            \
        return xpu_host_run(kernel##_body, arguments, grid, block, barriers);                                          \
    }                                                                                                                  \
    extern "C" int kernel##_sizes(int* sizes) { return xpu_host_sizes_of(&kernel, sizes); }
