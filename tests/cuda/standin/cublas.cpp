// A stand-in for libcublas.so: the functions that latten calls, computed in the order of the definition on the memory of the CPU. What cuBLAS
// would refuse is refused: leading dimensions that are too small, types that don't go together, a handle that was never made.
// STANDIN_FAIL="function=code" lets a function fail.
#include "emulation.h"
#include "prelude.cuh"
#include <dlfcn.h>
#include <functional>
#include <map>

namespace {

using namespace latten;

enum { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };
enum { R_32F = 0, R_64F = 1, R_16F = 2, C_32F = 4, C_64F = 5, R_16BF = 14 };
enum { COMPUTE_32F = 68, COMPUTE_64F = 70 };

// Which stream a handle works on.
std::map<void *, void *> handles;

// Puts work on a stream of the driver's stand-in.
int later(void *stream, const std::function<int()> &work) {
    typedef int (*Later)(void *, const std::function<int()> *);
    static const Later later = (Later)dlsym(dlopen("libcuda.so", RTLD_NOW), "standin_later");
    return later(stream, &work);
}

int planned(const char *function) {
    const char *plan = getenv("STANDIN_FAIL");
    size_t length = strlen(function);
    return plan && !strncmp(plan, function, length) && plan[length] == '=' ? atoi(plan + length + 1) : SUCCESS;
}

struct Matrices { const void *start; bool turned; long long leading, stride; };

template <class In, class Acc> Acc at(const Matrices &from, long long batch, long long row, long long column) {
    const long long offset = from.turned ? column + row * from.leading : row + column * from.leading;
    return cast<Acc>(static_cast<const In *>(from.start)[batch * from.stride + offset]);
}

template <class Acc> Acc plus_product(Acc sum, Acc x, Acc y) { return add(sum, mul(x, y)); }

template <class In, class Acc, class Out>
void multiply(long long m, long long n, long long k, const Matrices &a, const Matrices &b, Out *c, long long leading, long long stride, int count) {
    for (int batch = 0; batch < count; ++batch) {
        for (long long column = 0; column < n; ++column) {
            for (long long row = 0; row < m; ++row) {
                Acc sum = cast<Acc>(false);
                for (long long step = 0; step < k; ++step) {
                    sum = plus_product(sum, at<In, Acc>(a, batch, row, step), at<In, Acc>(b, batch, step, column));
                }
                c[batch * stride + row + column * leading] = cast<Out>(sum);
            }
        }
    }
}

} // namespace

extern "C" {

int cublasCreate_v2(void **handle) {
    if (int code = planned(__func__)) { return code; }
    *handle = malloc(1);
    handles[*handle] = nullptr;
    return SUCCESS;
}
int cublasSetStream_v2(void *handle, void *stream) {
    if (!handles.count(handle) || !stream) { return NOT_INITIALIZED; }
    return handles[handle] = stream, SUCCESS;
}

int cublasGemmStridedBatchedEx(
    void *handle, int transa, int transb, int m, int n, int k, const void *alpha, const void *a, int atype, int lda, long long astride, const void *b,
    int btype, int ldb, long long bstride, const void *beta, void *c, int ctype, int ldc, long long cstride, int count, int compute, int algorithm
) {
    if (int code = planned(__func__)) { return code; }
    if (!handles.count(handle) || !handles[handle]) { return NOT_INITIALIZED; }
    const bool sizes = m > 0 && n > 0 && k > 0 && count > 0 && lda >= (transa ? k : m) && ldb >= (transb ? n : k) && ldc >= m;
    if (!sizes || transa > 1 || transb > 1 || atype != btype || algorithm != -1) { return INVALID_VALUE; }
    const bool wide = atype == R_64F || atype == C_64F, complex = atype == C_32F || atype == C_64F;
    if (compute != (wide ? COMPUTE_64F : COMPUTE_32F)) { return NOT_SUPPORTED; }
    // One and zero of the type that is computed in, where cuBLAS reads them as a whole: elsewhere it is a fault of the process.
    const size_t whole = (wide ? sizeof(double) : sizeof(float)) * (complex ? 2 : 1);
    if ((size_t)alpha % whole || (size_t)beta % whole) { fprintf(stderr, "stand-in: cuBLAS reads a number that isn't aligned\n"); abort(); }
    const auto parts = [&](const void *number, int part) { return wide ? ((const double *)number)[part] : (double)((const float *)number)[part]; };
    if (parts(alpha, 0) != 1 || parts(beta, 0) != 0 || (complex && (parts(alpha, 1) != 0 || parts(beta, 1) != 0))) { return NOT_SUPPORTED; }
    const Matrices left{a, transa == 1, lda, astride}, right{b, transb == 1, ldb, bstride};
#define CASE(in, In, Acc, out, Out) \
    if (atype == in && ctype == out) { \
        return later(handles[handle], [=] { return multiply<In, Acc>(m, n, k, left, right, (Out *)c, ldc, cstride, count), SUCCESS; }); \
    }
    CASE(R_32F, f32, f32, R_32F, f32)
    CASE(R_64F, f64, f64, R_64F, f64)
    CASE(R_16F, f16, f32, R_16F, f16)
    CASE(R_16F, f16, f32, R_32F, f32)
    CASE(R_16BF, bf16, f32, R_16BF, bf16)
    CASE(R_16BF, bf16, f32, R_32F, f32)
    CASE(C_32F, c64, c64, C_32F, c64)
    CASE(C_64F, c128, c128, C_64F, c128)
    return NOT_SUPPORTED;
}

} // extern "C"
