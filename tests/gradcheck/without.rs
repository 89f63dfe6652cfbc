//! The calls that the gradients of are not compared with differences, because there are none.

/// Calls that no gradient goes through: of no tensors, to truths and integers, of random numbers, or of tensors that aren't dense.
pub(super) const WITHOUT: &str = "\
    _indices _nnz _values all allclose any arange argmax argmin argsort argwhere bernoulli bernoulli_ bfloat16 bincount bool byte can_cast \
    cauchy_ cfloat char count_nonzero dense_dim detach dim element_size empty empty_like equal exponential_ eye float full full_like \
    geometric_ get_device half indices init.calculate_gain init.constant_ init.dirac_ init.eye_ init.kaiming_normal_ init.kaiming_uniform_ \
    init.normal_ init.orthogonal_ init.sparse_ init.trunc_normal_ init.uniform_ init.xavier_normal_ init.xavier_uniform_ int is_coalesced \
    is_complex is_contiguous is_floating_point is_pinned is_set_to is_shared is_signed isclose item linspace log_normal_ long multinomial \
    new_empty new_full new_ones new_zeros nonzero normal normal_ numel one_hot ones ones_like pin_memory poisson promote_types rand \
    rand_like randint randint_like randn randn_like random_ randperm resize_ resize_as_ result_type set_ share_memory_ short size \
    sparse_dim storage_offset stride uniform_ unique unique_consecutive zeros zeros_like __getitem__ bucketize chalf detach_copy heaviside \
    histc isin isneginf isposinf isreal linalg.matrix_rank logspace scalar_tensor searchsorted tril_indices triu_indices unravel_index \
    __rand__ __ror__ __rxor__ broadcast_shapes empty_permuted empty_strided masked.argmax masked.argmin new_empty_strided nonzero_static \
    signal.windows.bartlett signal.windows.blackman signal.windows.cosine signal.windows.exponential signal.windows.gaussian \
    signal.windows.general_cosine signal.windows.general_hamming signal.windows.hamming signal.windows.hann signal.windows.kaiser \
    signal.windows.nuttall _chunk_cat hash_tensor geqrf linalg.ldl_factor linalg.ldl_factor_ex linalg.ldl_solve _ctc_loss_backward histogram histogramdd special.airy_ai special.scaled_modified_bessel_k0 special.scaled_modified_bessel_k1 \
    special.spherical_bessel_j0 special.chebyshev_polynomial_t special.chebyshev_polynomial_u special.chebyshev_polynomial_v \
    special.chebyshev_polynomial_w special.shifted_chebyshev_polynomial_t special.shifted_chebyshev_polynomial_u \
    special.shifted_chebyshev_polynomial_v special.shifted_chebyshev_polynomial_w special.hermite_polynomial_h \
    special.hermite_polynomial_he special.laguerre_polynomial_l special.legendre_polynomial_p hann_window hamming_window \
    blackman_window bartlett_window kaiser_window fft.fftfreq fft.rfftfreq";
