// Elements that meet at one place: what a sum, a product or an extreme makes of them and of what is there. They come in the order of their
// places, and those of one place in their own, so that one thread combines them as the CPU does, with its roundings.

struct MeetArguments {
    // `far_count` where threads take the places that there are, 0 where they take what comes to them.
    u32 count, parts, own, mean, far_count;
    void *far;
    const void *near;
    const u32 *places, *order;
};

template <class T> DEVICE T met_sum(const T x, const T y) {
    if constexpr (is_complex<T>) { return T{met_sum(x.re, y.re), met_sum(x.im, y.im)}; }
    else if constexpr (is_narrow<T>) { return cast<T>(widen(x) + widen(y)); }
    else { return add(x, y); }
}
template <class T> DEVICE T met_difference(const T x, const T y) {
    if constexpr (is_narrow<T>) { return cast<T>(widen(x) - widen(y)); }
    else { return sub(x, y); }
}
template <class T> DEVICE T met_product(const T x, const T y) {
    if constexpr (is_complex<T>) {
        return T{met_difference(met_product(x.re, y.re), met_product(x.im, y.im)), met_sum(met_product(x.re, y.im), met_product(x.im, y.re))};
    } else if constexpr (is_narrow<T>) { return cast<T>(widen(x) * widen(y)); }
    else { return mul(x, y); }
}
template <class T> DEVICE T met_share(const T x, const u32 count) {
    if constexpr (is_complex<T>) { return T{met_share(x.re, count), met_share(x.im, count)}; }
    else if constexpr (is_narrow<T>) { return cast<T>(widen(x) / (f32)count); }
    else if constexpr (is_float<T>) { return x / (T)count; }
    else {
        // Downwards, as PyTorch divides integers.
        const T y = (T)count;
        return rem(x, y) != 0 && (x < 0) != (y < 0) ? sub(div(x, y), (T)1) : div(x, y);
    }
}

// What begins a place where what is there doesn't count, and what changes no number at all, be it zero with a sign.
struct MetSum {
    template <class T> DEVICE T start() { return constant<T>(0.0); }
    template <class T> DEVICE T neutral() {
        if constexpr (is_complex<T>) { return T{neutral<part<T>>(), neutral<part<T>>()}; }
        else { return constant<T>(-0.0); }
    }
    template <class T> DEVICE T combine(const T x, const T y) { return met_sum(x, y); }
};
struct MetProduct {
    template <class T> DEVICE T start() { return constant<T>(1.0); }
    template <class T> DEVICE T neutral() { return start<T>(); }
    template <class T> DEVICE T combine(const T x, const T y) { return met_product(x, y); }
};
template <bool GREATEST> struct MetExtreme {
    template <class T> DEVICE T start() {
        if constexpr (is_narrow<T>) { return cast<T>(start<f32>()); }
        else if constexpr (GREATEST) { return lowest<T>(); }
        else { return highest<T>(); }
    }
    template <class T> DEVICE T neutral() { return start<T>(); }
    template <class T> DEVICE T combine(const T x, const T y) {
        if constexpr (is_narrow<T>) { return cast<T>(combine(widen(x), widen(y))); }
        else { return (GREATEST ? y > x : y < x) || y != y ? y : x; }
    }
};
typedef MetExtreme<true> MetGreatest;
typedef MetExtreme<false> MetLeast;

// The first of those between two numbers that isn't before a place.
DEVICE u32 first_at(const u32 *places, u32 first, u32 end, const u32 place) {
    while (first < end) {
        const u32 middle = first + (end - first) / 2;
        if (places[middle] < place) { first = middle + 1; } else { end = middle; }
    }
    return first;
}

// What `first` and those behind it make of their place. Most are few: their end is looked for in steps that double.
template <class B, class T> DEVICE void meet_from(const MeetArguments &a, const u32 first) {
    constexpr u32 ABREAST = 8;
    T *far = static_cast<T *>(a.far);
    const T *near = static_cast<const T *>(a.near);
    const u32 place = a.places[first];
    u32 k = first, step = 1;
    for (; step < a.count - first && a.places[first + step] == place; step *= 2) {}
    const u32 end = first_at(a.places, first + step / 2, step < a.count - first ? first + step : a.count, place + 1);
    T there = a.own ? far[place] : B::template start<T>();
    if (a.parts == 0) {
        // Loads don't wait for each other.
        for (; end - k >= ABREAST; k += ABREAST) {
            T x[ABREAST];
#pragma unroll
            for (u32 next = 0; next < ABREAST; ++next) { x[next] = near[a.order[k + next]]; }
#pragma unroll
            for (u32 next = 0; next < ABREAST; ++next) { there = B::template combine<T>(there, x[next]); }
        }
        for (; k < end; ++k) { there = B::template combine<T>(there, near[a.order[k]]); }
    }
    // The CPU combines many for few places in parts, and these then: so does this.
    for (u32 part = 0; part < a.parts; ++part) {
        const u32 part_end = (u32)((u64)a.count * (part + 1) / a.parts);
        T some = B::template neutral<T>();
        for (; k < end && a.order[k] < part_end; ++k) { some = B::template combine<T>(some, near[a.order[k]]); }
        there = B::template combine<T>(there, some);
    }
    far[place] = a.mean ? met_share(there, end - first + a.own) : there;
}

// One thread for each place, or the first of those that come to a place where most places have none.
template <class B, class T> DEVICE void meet(const MeetArguments &a) {
    const u32 threads = gridDim.x * blockDim.x, own = blockIdx.x * blockDim.x + threadIdx.x;
    for (u32 place = own; place < a.far_count; place += threads) {
        const u32 first = first_at(a.places, 0, a.count, place);
        if (first < a.count && a.places[first] == place) { meet_from<B, T>(a, first); }
    }
    for (u32 i = own; a.far_count == 0 && i < a.count; i += threads) {
        if (i == 0 || a.places[i - 1] != a.places[i]) { meet_from<B, T>(a, i); }
    }
}

#define MEET(symbol, B, T) ENTRY(symbol##__meet, MeetArguments, (meet<B, T>(a)))
