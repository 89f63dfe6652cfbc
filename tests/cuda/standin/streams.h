// Streams and events of the stand-in driver. By itself work is done at once. With STANDIN_STREAMS it is only done where somebody waits, in an
// order that the rules of streams allow and that nobody hopes for: `lazy` does only what is waited for, `eager` all else before that,
// `shuffle` anything. STANDIN_FORGET names a function that is to do nothing: a wait that is missing, for tests to find.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

typedef int Result;

namespace streams {

struct Stream;

// What an event stood for when it was recorded.
struct Moment { bool reached; Stream *on; };
struct Event { std::shared_ptr<Moment> moment; };

struct Task {
    std::function<Result()> work;
    // Reached before the task may begin.
    std::shared_ptr<Moment> awaited;
};

struct Stream { int device; std::deque<Task> tasks; };

// Held by whoever looks at streams or at memory, and while work is done.
static std::recursive_mutex all;
static std::vector<Stream *> known;
static Stream *const no_stream = nullptr;

enum Order { AT_ONCE, LAZY, EAGER, SHUFFLE };

static Order order() {
    static const Order chosen = [] {
        const char *text = getenv("STANDIN_STREAMS");
        return !text ? AT_ONCE : *text == 'l' ? LAZY : *text == 'e' ? EAGER : SHUFFLE;
    }();
    return chosen;
}

static bool forgotten(const char *function) {
    const char *name = getenv("STANDIN_FORGET");
    return name && !strcmp(name, function);
}

static bool can_go_on(const Stream *stream) {
    return !stream->tasks.empty() && (!stream->tasks.front().awaited || stream->tasks.front().awaited->reached);
}

static void step(Stream *stream) {
    Task task = std::move(stream->tasks.front());
    stream->tasks.pop_front();
    if (Result code = task.work()) { fprintf(stderr, "stand-in: what a stream does later fails: %d\n", code), abort(); }
}

static unsigned random(unsigned below) {
    static uint64_t state = 0x2545f4914f6cdd1dull;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 33) % below;
}

// Who goes on next, where `wanted` is waited for.
static Stream *next(Stream *wanted, Order order) {
    std::vector<Stream *> able;
    for (Stream *stream : known) {
        if (can_go_on(stream) && (order != EAGER || stream != wanted)) { able.push_back(stream); }
    }
    if (order != LAZY && !able.empty()) { return able[random((unsigned)able.size())]; }
    for (size_t turns = 0; turns <= known.size(); ++turns) {
        if (can_go_on(wanted)) { return wanted; }
        if (wanted->tasks.empty()) { break; }
        wanted = wanted->tasks.front().awaited->on;
    }
    fprintf(stderr, "stand-in: streams wait for each other\n"), abort();
}

static void drain(Stream *stream) {
    while (!stream->tasks.empty()) { step(next(stream, order())); }
}

static void reach(const std::shared_ptr<Moment> &moment) {
    while (moment && !moment->reached) { step(next(moment->on, order())); }
}

static Result later(void *stream, std::function<Result()> work, std::shared_ptr<Moment> awaited = nullptr) {
    std::lock_guard<std::recursive_mutex> lock(all);
    if (order() == AT_ONCE || stream == no_stream) { return work(); }
    static_cast<Stream *>(stream)->tasks.push_back(Task{std::move(work), std::move(awaited)});
    return 0;
}

} // namespace streams
