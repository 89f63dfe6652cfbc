// A stand-in for libcuda.so: what latten calls of the driver, on the memory of the CPU. When work is done is in streams.h. Memory of a device
// ends at a page that can't be touched, holds 0xCD at first, and is checked when it is freed. STANDIN_FAIL="function=code@n" lets the n-th and
// later calls of a function fail; STANDIN_ORDER is forward, reverse or shuffle; STANDIN_DEVICES says how many there are. A module
// without kernels (STANDIN_DRY, see nvrtc.cpp) and, with STANDIN_CUBINS, one of NVIDIA's has functions that do nothing.
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
#include <vector>

#include "streams.h"

typedef unsigned long long Address;
typedef void (*Kernel)(const void *, unsigned, unsigned, unsigned, unsigned);

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_IMAGE = 200, NOT_FOUND = 500, NOT_READY = 600 };

namespace {

constexpr size_t PAGE = 4096;
constexpr unsigned char FRESH = 0xCD;

struct Block { void *pages; size_t mapped, asked; int device; bool ready, going; };
// A kernel, and how many bytes its argument has; without one it does nothing.
struct Function { Kernel kernel; size_t bytes; };
// A module that the host can run, or only names.
struct Module { void *library; std::string names; };
std::mutex guard;
std::recursive_mutex &memory = streams::all;
std::map<Address, Block> blocks;
// Page-locked memory, which is read when the work is done.
std::map<const char *, size_t> pinned;
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
    std::lock_guard<std::recursive_mutex> lock(memory);
    auto after = blocks.upper_bound(address);
    if (after == blocks.begin()) { return nullptr; }
    auto found = std::prev(after);
    return address + count <= found->first + found->second.asked ? &found->second : nullptr;
}

// Whether they may be used by what is put on a stream now: the block isn't one that is to be freed.
bool is_there(Address address, size_t count) {
    std::lock_guard<std::recursive_mutex> lock(memory);
    const Block *block = within(address, count);
    return block && !block->going;
}

// And by what is done now.
const Block *usable(Address address, size_t count) {
    const Block *block = within(address, count);
    if (block && !block->ready) { fprintf(stderr, "stand-in: a block is used before the stream that allocates it is so far\n"), abort(); }
    return block;
}

// The bytes of the host as they are when the work is done: those of page-locked memory then, others now.
std::function<const void *()> host(const void *from, size_t count) {
    std::lock_guard<std::recursive_mutex> lock(memory);
    auto after = pinned.upper_bound((const char *)from);
    bool locked = after != pinned.begin() && (const char *)from < std::prev(after)->first + std::prev(after)->second;
    if (locked || streams::order() == streams::AT_ONCE) { return [=] { return from; }; }
    auto copy = std::make_shared<std::vector<char>>((const char *)from, (const char *)from + count);
    return [=] { return (const void *)copy->data(); };
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
    // The compute capability, by itself 9.0, and two multiprocessors.
    const char *text = getenv("STANDIN_CAPABILITY");
    int capability = text ? atoi(text) : 90;
    return *value = attribute == 75 ? capability / 10 : attribute == 76 ? capability % 10 : attribute == 16 ? 2 : 0, SUCCESS;
}
Result cuDevicePrimaryCtxRetain(void **context, int device) {
    PLANNED
    return *context = (void *)(intptr_t)(device + 1), SUCCESS;
}
Result cuCtxSetCurrent(void *context) { return current = (int)(intptr_t)context - 1, SUCCESS; }
Result cuCtxSynchronize() {
    PLANNED
    std::lock_guard<std::recursive_mutex> lock(streams::all);
    for (size_t i = 0; i < streams::known.size(); ++i) {
        if (streams::known[i]->device == current) { streams::drain(streams::known[i]); }
    }
    return SUCCESS;
}
Result cuDeviceGetDefaultMemPool(void **pool, int device) { return *pool = (void *)(intptr_t)(device + 1), SUCCESS; }
Result cuMemPoolSetAttribute(void *, int, void *) { return SUCCESS; }
Result cuMemPoolTrimTo(void *, size_t) { return SUCCESS; }
Result cuMemGetInfo_v2(size_t *free, size_t *total) { return *free = 1 << 20, *total = size_t(1) << 32, SUCCESS; }

Result cuMemAllocAsync(Address *address, size_t size, void *stream) {
    PLANNED
    if (size >> 32) { return OUT_OF_MEMORY; }
    // The block ends at the last page, but for what its alignment takes. Its bytes are there when the stream has come so far.
    size_t room = (size + 15) / 16 * 16, inside = (room + PAGE - 1) / PAGE * PAGE, mapped = inside + 2 * PAGE;
    char *pages = (char *)mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) { return OUT_OF_MEMORY; }
    Address start = *address = (Address)(pages + PAGE + inside - room);
    {
        std::lock_guard<std::recursive_mutex> lock(memory);
        blocks[start] = Block{pages, mapped, size, current, false, false};
    }
    return streams::later(stream, [=] {
        if (mprotect(pages + PAGE, inside, PROT_READ | PROT_WRITE)) { return OUT_OF_MEMORY; }
        memset(pages + PAGE, FRESH, inside);
        blocks[start].ready = true;
        return SUCCESS;
    });
}
Result cuMemFreeAsync(Address address, void *stream) {
    std::lock_guard<std::recursive_mutex> lock(memory);
    auto known = blocks.find(address);
    if (known == blocks.end() || known->second.going) { fprintf(stderr, "stand-in: %llx is freed, but is no block\n", address), abort(); }
    known->second.going = true;
    return streams::later(stream, [=] {
        auto found = blocks.find(address);
        Block block = found->second;
        for (char *at = (char *)block.pages + PAGE; at < (char *)block.pages + block.mapped - PAGE; ++at) {
            bool outside = (Address)at < address || (Address)at >= address + block.asked;
            if (outside && (unsigned char)*at != FRESH) {
                fprintf(stderr, "stand-in: a byte beside a block of %zu bytes was written\n", block.asked), abort();
            }
        }
        // Where work may come late, nobody else gets the addresses.
        if (streams::order() == streams::AT_ONCE) { munmap(block.pages, block.mapped); }
        else { mmap(block.pages, block.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0); }
        blocks.erase(found);
        return SUCCESS;
    });
}
Result cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t count, void *stream) {
    PLANNED
    if (!is_there(to, count)) { return refuse(__func__, to, count); }
    auto bytes = host(from, count);
    return streams::later(stream, [=] { return usable(to, count) ? (memcpy((void *)to, bytes(), count), SUCCESS) : INVALID_VALUE; });
}
Result cuMemcpyDtoHAsync_v2(void *to, Address from, size_t count, void *stream) {
    PLANNED
    if (!is_there(from, count)) { return refuse(__func__, from, count); }
    return streams::later(stream, [=] { return usable(from, count) ? (memcpy(to, (void *)from, count), SUCCESS) : INVALID_VALUE; });
}
Result cuMemcpyDtoDAsync_v2(Address to, Address from, size_t count, void *stream) {
    const Block *target = within(to, count), *source = within(from, count);
    bool overlap = to < from + count && from < to + count;
    bool there = is_there(to, count) && is_there(from, count);
    if (!there || target->device != source->device || overlap) { return refuse("cuMemcpyDtoDAsync_v2", to, count); }
    return streams::later(stream, [=] {
        bool both = usable(to, count) && usable(from, count);
        return both ? (memcpy((void *)to, (void *)from, count), SUCCESS) : INVALID_VALUE;
    });
}
Result cuMemcpyPeerAsync(Address to, void *ours, Address from, void *theirs, size_t count, void *stream) {
    const Block *target = within(to, count), *source = within(from, count);
    bool right = is_there(to, count) && is_there(from, count);
    right = right && (void *)(intptr_t)(target->device + 1) == ours && (void *)(intptr_t)(source->device + 1) == theirs;
    if (!right) { return refuse(__func__, to, count); }
    return streams::later(stream, [=] {
        bool both = usable(to, count) && usable(from, count);
        return both ? (memcpy((void *)to, (void *)from, count), SUCCESS) : INVALID_VALUE;
    });
}
Result cuMemsetD8Async(Address to, unsigned char value, size_t count, void *stream) {
    if (!is_there(to, count)) { return refuse(__func__, to, count); }
    return streams::later(stream, [=] { return usable(to, count) ? (memset((void *)to, value, count), SUCCESS) : INVALID_VALUE; });
}
Result cuMemHostAlloc(void **start, size_t size, unsigned) {
    PLANNED
    *start = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (*start == MAP_FAILED) { return OUT_OF_MEMORY; }
    std::lock_guard<std::recursive_mutex> lock(memory);
    return pinned[(const char *)*start] = size, SUCCESS;
}
Result cuMemFreeHost(void *start) {
    std::lock_guard<std::recursive_mutex> lock(memory);
    auto found = pinned.find((const char *)start);
    if (found == pinned.end()) { return INVALID_VALUE; }
    // Whoever still reads or writes it is stopped.
    mmap(start, found->second, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return pinned.erase(found), SUCCESS;
}

Result cuStreamCreate(void **stream, unsigned) {
    std::lock_guard<std::recursive_mutex> lock(streams::all);
    streams::Stream *made = new streams::Stream{current, {}};
    streams::known.push_back(made);
    return *stream = made, SUCCESS;
}
// What is on it is done in any case.
Result cuStreamDestroy_v2(void *) { return SUCCESS; }
Result cuStreamSynchronize(void *stream) {
    PLANNED
    if (streams::forgotten(__func__)) { return SUCCESS; }
    std::lock_guard<std::recursive_mutex> lock(streams::all);
    return streams::drain((streams::Stream *)stream), SUCCESS;
}
Result cuStreamWaitEvent(void *stream, void *event, unsigned) {
    if (streams::forgotten(__func__)) { return SUCCESS; }
    std::lock_guard<std::recursive_mutex> lock(streams::all);
    auto moment = ((streams::Event *)event)->moment;
    return moment ? streams::later(stream, [] { return SUCCESS; }, moment) : SUCCESS;
}
Result cuEventCreate(void **event, unsigned) { return *event = new streams::Event{}, SUCCESS; }
Result cuEventRecord(void *event, void *stream) {
    std::lock_guard<std::recursive_mutex> lock(streams::all);
    auto moment = std::make_shared<streams::Moment>(streams::Moment{false, (streams::Stream *)stream});
    ((streams::Event *)event)->moment = moment;
    return streams::later(stream, [=] { return moment->reached = true, SUCCESS; });
}
Result cuEventQuery(void *event) {
    std::lock_guard<std::recursive_mutex> lock(streams::all);
    auto moment = ((streams::Event *)event)->moment;
    if (!moment || moment->reached) { return SUCCESS; }
    // Whoever asks again and again comes to an end.
    return streams::step(streams::next(moment->on, streams::SHUFFLE)), NOT_READY;
}
Result cuEventSynchronize(void *event) {
    if (streams::forgotten(__func__)) { return SUCCESS; }
    std::lock_guard<std::recursive_mutex> lock(streams::all);
    return streams::reach(((streams::Event *)event)->moment), SUCCESS;
}
Result cuEventElapsedTime_v2(float *milliseconds, void *start, void *end) {
    std::lock_guard<std::recursive_mutex> lock(streams::all);
    auto reached = [](void *event) { return ((streams::Event *)event)->moment && ((streams::Event *)event)->moment->reached; };
    return *milliseconds = 0.5f, reached(start) && reached(end) ? SUCCESS : NOT_READY;
}
Result cuEventDestroy_v2(void *event) { return delete (streams::Event *)event, SUCCESS; }

// NVIDIA's modules are ELF files for machine 190.
static bool is_cubin(const char *image) { return !memcmp(image, "\x7f" "ELF", 4) && (unsigned char)image[18] == 190 && image[19] == 0; }

Result cuModuleLoadData(void **module, const void *image) {
    PLANNED
    uint64_t size;
    if (getenv("STANDIN_CUBINS") && is_cubin((const char *)image)) {
        uint64_t sections;
        uint16_t each, count;
        memcpy(&sections, (const char *)image + 40, 8), memcpy(&each, (const char *)image + 58, 2), memcpy(&count, (const char *)image + 60, 2);
        return *module = new Module{nullptr, std::string((const char *)image, sections + each * count)}, SUCCESS;
    }
    if (memcmp(image, "STANDIN", 8)) { return INVALID_IMAGE; }
    memcpy(&size, (const char *)image + 8, 8);
    if (size == 0) { return *module = new Module{nullptr, ""}, SUCCESS; }
    const char *folder = getenv("TMPDIR");
    std::string path = std::string(folder ? folder : "/" "tmp") + "/standin-" + std::to_string(getpid()) + "-" + std::to_string(modules++) + ".so";
    FILE *file = fopen(path.c_str(), "wb");
    bool written = file && fwrite((const char *)image + 16, 1, size, file) == size;
    if (file) { fclose(file); }
    void *library = written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!library) { fprintf(stderr, "stand-in: %s\n", written ? dlerror() : "no room for a module"); }
    unlink(path.c_str());
    return *module = new Module{library, ""}, library ? SUCCESS : INVALID_IMAGE;
}
Result cuModuleGetFunction(void **function, void *module, const char *name) {
    Module *known = (Module *)module;
    if (!known->library) {
        // A name stands between two zeros, or there are no names at all.
        std::string word = std::string(1, '\0') + name + std::string(1, '\0');
        bool found = known->names.empty() || known->names.find(word) != std::string::npos;
        return *function = new Function{nullptr, 0}, found ? SUCCESS : NOT_FOUND;
    }
    void *kernel = dlsym(known->library, name), *bytes = dlsym(known->library, (std::string(name) + "__bytes").c_str());
    if (!kernel || !bytes) { return NOT_FOUND; }
    return *function = new Function{(Kernel)kernel, *(size_t *)bytes}, SUCCESS;
}
Result cuModuleUnload(void *module) { return ((Module *)module)->library ? dlclose(((Module *)module)->library) : 0, SUCCESS; }
Result cuLaunchKernel(void *function, unsigned grid, unsigned, unsigned, unsigned block, unsigned, unsigned, unsigned, void *stream, void **arguments, void **) {
    PLANNED
    const char *order = getenv("STANDIN_ORDER");
    unsigned kind = !order || *order == 'f' ? 0 : *order == 'r' ? 1 : 2;
    if (grid == 0 || block == 0 || block > 1024) { return INVALID_VALUE; }
    Function *known = (Function *)function;
    if (!known->kernel) { return SUCCESS; }
    // The driver reads the argument before it returns.
    auto argument = std::make_shared<std::vector<char>>((char *)arguments[0], (char *)arguments[0] + known->bytes);
    return streams::later(stream, [=] { return known->kernel(argument->data(), grid, block, kind, (unsigned)++launches), SUCCESS; });
}

// For the other stand-ins: work on a stream.
Result standin_later(void *stream, const std::function<Result()> *work) { return streams::later(stream, *work); }

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
