// What g++ reads before the text of kernels, so that they run on the CPU: CUDA's words, and the walk over blocks and threads. The threads
// of a block run one after the other, in an order that the driver chooses; those of a kernel with barriers take turns.
#pragma once
// C's headers alone: g++ has half as much to read then.
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#define LATTEN_HOST 1
#define __device__
#define __global__
#define __forceinline__ inline
// `inline`, since g++ leaves out only such functions where nobody calls them.
#define __noinline__ inline __attribute__((noinline))
#define __shared__ static
#define __launch_bounds__(threads)
#define __grid_constant__

struct StandinIndex { unsigned x, y, z; };
static StandinIndex threadIdx, blockIdx, blockDim, gridDim;

static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
// Threads take turns at barriers only.
static inline unsigned atomicAdd(unsigned *to, unsigned number) {
    const unsigned before = *to;
    *to += number;
    return before;
}
template <class To, class From> static inline To standin_bits(From from) {
    To to;
    static_assert(sizeof to == sizeof from, "bits are as many");
    memcpy(&to, &from, sizeof to);
    return to;
}
static inline unsigned __float_as_uint(float x) { return standin_bits<unsigned>(x); }
static inline int __float_as_int(float x) { return standin_bits<int>(x); }
// The threads of a kernel take turns.
static inline unsigned atomicMax(unsigned *at, unsigned value) {
    unsigned before = *at;
    *at = before < value ? value : before;
    return before;
}
static inline float __uint_as_float(unsigned x) { return standin_bits<float>(x); }
static inline long long __double_as_longlong(double x) { return standin_bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return standin_bits<double>(x); }
// What CUDA has and C hasn't: Newton's steps from a near number, far out by what is left to one.
static inline double erfinv(double x) {
    const double size = fabs(x), rest = 1 - size;
    if (!(rest > 0)) { return rest == 0 ? copysign(HUGE_VAL, x) : (double)NAN; }
    const double squares = log(rest * (1 + size)), half = 4.330746750799873 + squares / 2;
    double found = sqrt(fmax(sqrt(half * half - squares / 0.147) - half, 0.0));
    for (int step = 0; step < 5; ++step) {
        const double beyond = size < 0.5 ? erf(found) - size : rest - erfc(found);
        found -= beyond / (1.1283791670955126 * exp(-found * found));
    }
    return copysign(found, x);
}
static inline float erfinvf(float x) { return (float)erfinv((double)x); }

namespace standin {

typedef void (*Body)(const void *argument);

// The order of threads: forwards, backwards, or shuffled by a seed.
struct Order { unsigned kind, seed; };

static inline void arrange(unsigned *threads, unsigned count, Order order) {
    for (unsigned i = 0; i < count; ++i) { threads[i] = order.kind == 1 ? count - 1 - i : i; }
    uint64_t state = order.seed * 0x9e3779b97f4a7c15ull + 1;
    for (unsigned i = count; order.kind == 2 && i > 1; --i) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        unsigned j = (unsigned)((state >> 33) % i), other = threads[j];
        threads[j] = threads[i - 1], threads[i - 1] = other;
    }
}

static inline void run_plain(Body body, const void *argument, Order order) {
    unsigned *threads = (unsigned *)malloc(sizeof(unsigned) * blockDim.x), *blocks = (unsigned *)malloc(sizeof(unsigned) * gridDim.x);
    arrange(blocks, gridDim.x, order);
    arrange(threads, blockDim.x, order);
    for (unsigned b = 0; b < gridDim.x; ++b) {
        blockIdx.x = blocks[b];
        for (unsigned t = 0; t < blockDim.x; ++t) {
            threadIdx.x = threads[t];
            body(argument);
        }
    }
    free(threads), free(blocks);
}

// Threads that meet at barriers: each has a stack, and goes on when all have come. Stacks are entered once and then changed for one another,
// which costs no call of the system; a thread that is done waits for the next block.
constexpr size_t STACK = 64 << 10;
#if defined(__x86_64__)
struct Place { void *stack; };
// What a function keeps for its caller goes on the stack that is left, and comes from the other one, with the place to go on at.
__attribute__((naked, noinline)) static void change(Place *, const Place *) {
    asm("pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15; movq %rsp, (%rdi);"
        "movq (%rsi), %rsp; popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp; ret");
}
static inline void begin(Place &place, char *stack, void (*entry)()) {
    // Six registers, the entry, and where it would return to.
    void **top = (void **)(stack + STACK) - 8;
    memset(top, 0, 8 * sizeof *top);
    top[6] = (void *)entry, place.stack = top;
}
#else
typedef ucontext_t Place;
static void change(Place *from, const Place *to) { swapcontext(from, to); }
static inline void begin(Place &place, char *stack, void (*entry)()) {
    getcontext(&place);
    place.uc_stack.ss_sp = stack, place.uc_stack.ss_size = STACK, place.uc_link = nullptr;
    makecontext(&place, entry, 0);
}
#endif

struct Fiber { Place place; bool done; };
static Place scheduler;
static Fiber *fibers, *running;
static unsigned fiber_count;
static Body fiber_body;
static const void *fiber_argument;

static inline void barrier() {
    if (!running) { fprintf(stderr, "stand-in: a barrier in a kernel that was declared without\n"), abort(); }
    change(&running->place, &scheduler);
}

static inline void fiber_main() {
    for (;;) {
        fiber_body(fiber_argument);
        running->done = true;
        barrier();
    }
}

static inline void make_fibers(unsigned count) {
    if (count <= fiber_count) { return; }
    fibers = (Fiber *)calloc(count, sizeof(Fiber)), fiber_count = count;
    for (unsigned t = 0; t < count; ++t) { begin(fibers[t].place, (char *)malloc(STACK), fiber_main); }
}

static inline void run_block(Order order) {
    const unsigned count = blockDim.x;
    unsigned *threads = (unsigned *)malloc(sizeof(unsigned) * count);
    for (unsigned t = 0; t < count; ++t) { fibers[t].done = false; }
    for (unsigned left = count, phase = 1; left > 0; ++phase) {
        arrange(threads, count, Order{order.kind, order.seed + phase});
        unsigned finished = 0, waiting = 0;
        for (unsigned i = 0; i < count; ++i) {
            Fiber &fiber = fibers[threads[i]];
            if (fiber.done) { continue; }
            threadIdx.x = threads[i];
            running = &fiber;
            change(&scheduler, &fiber.place);
            fiber.done ? ++finished : ++waiting;
        }
        if (waiting && (finished || left != waiting)) {
            fprintf(stderr, "stand-in: %u threads wait at a barrier that %u never reach\n", waiting, count - waiting), abort();
        }
        left = waiting;
    }
    running = nullptr;
    free(threads);
}

static inline void run_together(Body body, const void *argument, Order order) {
    fiber_body = body, fiber_argument = argument;
    make_fibers(blockDim.x);
    unsigned *blocks = (unsigned *)malloc(sizeof(unsigned) * gridDim.x);
    arrange(blocks, gridDim.x, order);
    for (unsigned b = 0; b < gridDim.x; ++b) {
        blockIdx.x = blocks[b];
        run_block(order);
    }
    free(blocks);
}

} // namespace standin

static inline void __syncthreads() { standin::barrier(); }
// Stronger than it is: warps meet here where the kernels' own meet alone. Whoever calls it in some warps only is found.
// What each thread tells the others, in two rooms by turns: nobody writes to one before all have read what was in it.
static unsigned standin_words[2][1024], standin_turns[1024];
static inline const unsigned *standin_warp(unsigned word) {
    unsigned *words = standin_words[++standin_turns[threadIdx.x] % 2];
    words[threadIdx.x] = word;
    standin::barrier();
    return words + threadIdx.x / 32 * 32;
}
static inline unsigned __shfl_sync(unsigned, unsigned word, int lane) { return standin_warp(word)[(unsigned)lane & 31]; }
static inline unsigned __ballot_sync(unsigned, int holds) {
    const unsigned *words = standin_warp(holds != 0);
    unsigned all = 0;
    for (unsigned lane = 0; lane < 32; ++lane) { all |= words[lane] << lane; }
    return all;
}
static inline void __syncwarp() { standin::barrier(); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }

// An entry is a function that the stand-in driver calls with the argument's bytes, the launch and the order; it knows how many bytes.
#define STANDIN_ENTRY(symbol, Arguments, call, run) \
    static void symbol##_body(const void *argument) { const Arguments &a = *static_cast<const Arguments *>(argument); call; } \
    extern "C" const size_t symbol##__bytes = sizeof(Arguments); \
    extern "C" void symbol(const void *bytes, unsigned grid, unsigned block, unsigned kind, unsigned seed) { \
        Arguments argument; \
        memcpy(&argument, bytes, sizeof argument); \
        gridDim = StandinIndex{grid, 1, 1}, blockDim = StandinIndex{block, 1, 1}, blockIdx = threadIdx = StandinIndex{0, 0, 0}; \
        standin::run(symbol##_body, &argument, standin::Order{kind, seed}); \
    }
#define ENTRY(symbol, Arguments, call) STANDIN_ENTRY(symbol, Arguments, call, run_plain)
#define ENTRY_TOGETHER(symbol, Arguments, call) STANDIN_ENTRY(symbol, Arguments, call, run_together)
