namespace latten {
} // namespace latten
