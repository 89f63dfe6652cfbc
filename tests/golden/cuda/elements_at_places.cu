namespace latten {
// places.cuh
PLACES(places__u16, u16)
} // namespace latten
