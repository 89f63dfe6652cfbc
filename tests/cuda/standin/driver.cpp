// A stand-in for libcuda.so: what latten calls of the driver, on the memory of the CPU. A launch runs at once. Memory of a device ends at a
// page that can't be touched, holds 0xCD at first, and is checked when it is freed. STANDIN_FAIL="function=code@n" lets the n-th and
// later calls of a function fail; STANDIN_ORDER is forward, reverse or shuffle; STANDIN_DEVICES says how many there are.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

typedef int Result;
typedef unsigned long long Address;
typedef void (*Kernel)(const void *, unsigned, unsigned, unsigned, unsigned);

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_IMAGE = 200, NOT_FOUND = 500 };

namespace {

constexpr size_t PAGE = 4096;
constexpr unsigned char FRESH = 0xCD;

struct Block { void *pages; size_t mapped, asked; int device; };
std::mutex guard;
std::map<Address, Block> blocks;
std::atomic<uint64_t> launches{0}, modules{0};
thread_local int current = 0;

int devices() {
    const char *text = getenv("STANDIN_DEVICES");
    return text ? atoi(text) : 2;
}

// Whether this call of a function is to fail, and how.
Result planned(const char *function) {
    static std::map<std::string, int> calls;
    const char *plan = getenv("STANDIN_FAIL");
    size_t length = strlen(function);
    if (!plan || strncmp(plan, function, length) || plan[length] != '=') { return SUCCESS; }
    std::lock_guard<std::mutex> lock(guard);
    const char *at = strchr(plan, '@');
    return ++calls[function] >= (at ? atoi(at + 1) : 1) ? atoi(plan + length + 1) : SUCCESS;
}
#define PLANNED \
    if (Result code = planned(__func__)) { return code; }

// The block that has all of these bytes.
const Block *within(Address address, size_t count) {
    std::lock_guard<std::mutex> lock(guard);
    auto after = blocks.upper_bound(address);
    if (after == blocks.begin()) { return nullptr; }
    auto found = std::prev(after);
    return address + count <= found->first + found->second.asked ? &found->second : nullptr;
}

Result refuse(const char *function, Address address, size_t count) {
    fprintf(stderr, "stand-in: %s: %zu bytes at %llx are in no block\n", function, count, address);
    return INVALID_VALUE;
}

} // namespace

extern "C" {

Result cuInit(unsigned) {
    PLANNED
    return devices() > 0 ? SUCCESS : NO_DEVICE;
}
Result cuDriverGetVersion(int *version) {
    const char *text = getenv("STANDIN_VERSION");
    *version = text ? atoi(text) : 13000;
    return SUCCESS;
}
Result cuDeviceGetCount(int *count) { return *count = devices(), SUCCESS; }
Result cuDeviceGet(int *device, int ordinal) { return ordinal < devices() ? (*device = ordinal, SUCCESS) : INVALID_DEVICE; }
Result cuDeviceGetName(char *name, int length, int) { return snprintf(name, length, "stand-in"), SUCCESS; }
Result cuDeviceTotalMem_v2(size_t *bytes, int) { return *bytes = size_t(1) << 32, SUCCESS; }
Result cuDeviceGetAttribute(int *value, int attribute, int) {
    // Compute capability 9.0, two multiprocessors.
    return *value = attribute == 75 ? 9 : attribute == 16 ? 2 : 0, SUCCESS;
}
Result cuDevicePrimaryCtxRetain(void **context, int device) {
    PLANNED
    return *context = (void *)(intptr_t)(device + 1), SUCCESS;
}
Result cuCtxSetCurrent(void *context) { return current = (int)(intptr_t)context - 1, SUCCESS; }
Result cuCtxSynchronize() {
    PLANNED
    return SUCCESS;
}
Result cuDeviceGetDefaultMemPool(void **pool, int device) { return *pool = (void *)(intptr_t)(device + 1), SUCCESS; }
Result cuMemPoolSetAttribute(void *, int, void *) { return SUCCESS; }
Result cuMemPoolTrimTo(void *, size_t) { return SUCCESS; }
Result cuMemGetInfo_v2(size_t *free, size_t *total) { return *free = 1 << 20, *total = size_t(1) << 32, SUCCESS; }

Result cuMemAllocAsync(Address *address, size_t size, void *) {
    PLANNED
    if (size >> 32) { return OUT_OF_MEMORY; }
    // The block ends at the last page, but for what its alignment takes.
    size_t room = (size + 15) / 16 * 16, inside = (room + PAGE - 1) / PAGE * PAGE, mapped = inside + 2 * PAGE;
    char *pages = (char *)mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + PAGE, inside, PROT_READ | PROT_WRITE)) { return OUT_OF_MEMORY; }
    memset(pages + PAGE, FRESH, inside);
    *address = (Address)(pages + PAGE + inside - room);
    std::lock_guard<std::mutex> lock(guard);
    blocks[*address] = Block{pages, mapped, size, current};
    return SUCCESS;
}
Result cuMemFreeAsync(Address address, void *) {
    std::lock_guard<std::mutex> lock(guard);
    auto found = blocks.find(address);
    if (found == blocks.end()) { fprintf(stderr, "stand-in: %llx is freed, but is no block\n", address), abort(); }
    Block block = found->second;
    for (char *at = (char *)block.pages + PAGE; at < (char *)block.pages + block.mapped - PAGE; ++at) {
        bool outside = (Address)at < address || (Address)at >= address + block.asked;
        if (outside && (unsigned char)*at != FRESH) {
            fprintf(stderr, "stand-in: a byte beside a block of %zu bytes was written\n", block.asked), abort();
        }
    }
    munmap(block.pages, block.mapped);
    blocks.erase(found);
    return SUCCESS;
}
Result cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t count, void *) {
    PLANNED
    return within(to, count) ? (memcpy((void *)to, from, count), SUCCESS) : refuse(__func__, to, count);
}
Result cuMemcpyDtoHAsync_v2(void *to, Address from, size_t count, void *) {
    PLANNED
    return within(from, count) ? (memcpy(to, (void *)from, count), SUCCESS) : refuse(__func__, from, count);
}
Result cuMemcpyDtoDAsync_v2(Address to, Address from, size_t count, void *) {
    const Block *target = within(to, count), *source = within(from, count);
    bool overlap = to < from + count && from < to + count;
    if (!target || !source || target->device != source->device || overlap) { return refuse(__func__, to, count); }
    return memcpy((void *)to, (void *)from, count), SUCCESS;
}
Result cuMemcpyPeerAsync(Address to, void *ours, Address from, void *theirs, size_t count, void *) {
    const Block *target = within(to, count), *source = within(from, count);
    bool right = target && source && (void *)(intptr_t)(target->device + 1) == ours && (void *)(intptr_t)(source->device + 1) == theirs;
    return right ? (memcpy((void *)to, (void *)from, count), SUCCESS) : refuse(__func__, to, count);
}
Result cuMemsetD8Async(Address to, unsigned char value, size_t count, void *) {
    return within(to, count) ? (memset((void *)to, value, count), SUCCESS) : refuse(__func__, to, count);
}
Result cuMemHostAlloc(void **start, size_t size, unsigned) {
    PLANNED
    return *start = malloc(size), *start ? SUCCESS : OUT_OF_MEMORY;
}
Result cuMemFreeHost(void *start) { return free(start), SUCCESS; }

Result cuStreamCreate(void **stream, unsigned) { return *stream = malloc(1), SUCCESS; }
Result cuStreamDestroy_v2(void *stream) { return free(stream), SUCCESS; }
Result cuStreamSynchronize(void *) {
    PLANNED
    return SUCCESS;
}
Result cuStreamWaitEvent(void *, void *, unsigned) { return SUCCESS; }
Result cuEventCreate(void **event, unsigned) { return *event = malloc(1), SUCCESS; }
Result cuEventRecord(void *, void *) { return SUCCESS; }
Result cuEventQuery(void *) { return SUCCESS; }
Result cuEventSynchronize(void *) { return SUCCESS; }
Result cuEventElapsedTime_v2(float *milliseconds, void *, void *) { return *milliseconds = 0.5f, SUCCESS; }
Result cuEventDestroy_v2(void *event) { return free(event), SUCCESS; }

Result cuModuleLoadData(void **module, const void *image) {
    PLANNED
    uint64_t size;
    if (memcmp(image, "STANDIN", 8)) { return INVALID_IMAGE; }
    memcpy(&size, (const char *)image + 8, 8);
    const char *folder = getenv("TMPDIR");
    std::string path = std::string(folder ? folder : "/" "tmp") + "/standin-" + std::to_string(getpid()) + "-" + std::to_string(modules++) + ".so";
    FILE *file = fopen(path.c_str(), "wb");
    bool written = file && fwrite((const char *)image + 16, 1, size, file) == size;
    if (file) { fclose(file); }
    *module = written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!*module) { fprintf(stderr, "stand-in: %s\n", written ? dlerror() : "no room for a module"); }
    unlink(path.c_str());
    return *module ? SUCCESS : INVALID_IMAGE;
}
Result cuModuleGetFunction(void **function, void *module, const char *name) {
    return (*function = dlsym(module, name)) ? SUCCESS : NOT_FOUND;
}
Result cuModuleUnload(void *module) { return dlclose(module), SUCCESS; }
Result cuLaunchKernel(void *function, unsigned grid, unsigned, unsigned, unsigned block, unsigned, unsigned, unsigned, void *, void **arguments, void **) {
    PLANNED
    static std::mutex one;
    std::lock_guard<std::mutex> lock(one);
    const char *order = getenv("STANDIN_ORDER");
    unsigned kind = !order || *order == 'f' ? 0 : *order == 'r' ? 1 : 2;
    if (grid == 0 || block == 0 || block > 1024) { return INVALID_VALUE; }
    ((Kernel)function)(arguments[0], grid, block, kind, (unsigned)++launches);
    return SUCCESS;
}

Result cuGetErrorString(Result code, const char **text) {
    switch (code) {
        case INVALID_VALUE: *text = "invalid argument"; break;
        case OUT_OF_MEMORY: *text = "out of memory"; break;
        case NO_DEVICE: *text = "no CUDA-capable device is detected"; break;
        case INVALID_IMAGE: *text = "device kernel image is invalid"; break;
        case NOT_FOUND: *text = "named symbol not found"; break;
        case 719: *text = "unspecified launch failure"; break;
        default: *text = "unknown error"; break;
    }
    return SUCCESS;
}

} // extern "C"
