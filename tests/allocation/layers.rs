//! Arguments of operations whose tensors go together as no search finds out: images and weights, matrices with inverses, places and sources.

use latten::by_name::{NamedArgument, Operation};
use latten::prelude::*;
use latten::{RawTensor, Result};

use super::arguments::Operands;

/// What those operations are run on.
#[derive(Debug)]
pub(crate) struct Layers {
    /// Samples of images with one, two and three dimensions, and weights for them.
    pub(crate) images: [DynTensor; 3],
    pub(crate) weights: [DynTensor; 3],
    /// The windows of an image.
    pub(crate) columns: DynTensor,
    /// Rows of three numbers.
    pub(crate) triples: DynTensor,
    /// A matrix that has an inverse, is positive, and its own adjoint.
    pub(crate) regular: DynTensor,
    /// As many numbers as that has rows, and as many rows that stay where they are.
    pub(crate) side: DynTensor,
    pub(crate) pivots: DynTensor,
    /// Two numbers.
    pub(crate) few: DynTensor,
    /// Places in images with two dimensions.
    pub(crate) spread: DynTensor,
    pub(crate) affine: DynTensor,
    /// Places in images: all the first one.
    pub(crate) spots: [DynTensor; 3],
    pub(crate) narrow: DynTensor,
    /// Of two coordinates.
    pub(crate) points: DynTensor,
    /// Weights of pairs of numbers.
    pub(crate) pairs: DynTensor,
    pub(crate) offsets: DynTensor,
    /// Complex numbers.
    pub(crate) spectrum: DynTensor,
    /// Places in images with three dimensions.
    pub(crate) depths: DynTensor,
    /// A number for each channel.
    pub(crate) channels: DynTensor,
    /// How long the parts of a matrix are.
    pub(crate) lengths: DynTensor,
    /// Weights for queries, keys and values.
    pub(crate) projections: DynTensor,
    /// Logarithms of probabilities, step by step, labels, and what is known of how they go together.
    pub(crate) steps: DynTensor,
    pub(crate) labels: DynTensor,
    pub(crate) aligned: [DynTensor; 2],
}

impl Layers {
    pub(crate) fn new(floats: &impl Fn(&[usize]) -> Result<DynTensor>) -> Result<Self> {
        let zeros = |sizes: &[usize]| RawTensor::from_vec(vec![0_i64; sizes.iter().product()], sizes).map(DynTensor::from);
        Ok(Self {
            images: [floats(&[2, 16, 2000])?, floats(&[2, 16, 40, 40])?, floats(&[1, 4, 20, 20, 20])?],
            weights: [floats(&[16, 16, 3])?, floats(&[16, 16, 3, 3])?, floats(&[4, 4, 2, 2, 2])?],
            columns: floats(&[2, 18, 1444])?,
            triples: floats(&[8000, 3])?,
            regular: Tensor::<f32, shape![130, 130]>::eye().erase(),
            side: floats(&[130])?,
            few: floats(&[2])?,
            spread: floats(&[2, 100, 100, 2])?,
            affine: floats(&[2, 2, 3])?,
            pivots: RawTensor::from_vec((1..=130).collect::<Vec<i32>>(), &[130]).map(DynTensor::from)?,
            spots: [zeros(&[2, 16, 2000])?, zeros(&[2, 16, 40, 40])?, zeros(&[1, 4, 20, 20, 20])?],
            narrow: floats(&[320, 12])?,
            points: floats(&[9600, 2])?,
            pairs: floats(&[52, 12, 12])?,
            offsets: Tensor::from([0_i64, 50]).erase(),
            depths: floats(&[1, 20, 20, 20, 3])?,
            channels: floats(&[16])?,
            lengths: Tensor::from([100_i64, 60]).erase(),
            projections: floats(&[390, 130])?,
            steps: floats(&[300, 2, 40])?,
            labels: zeros(&[2, 20])?,
            aligned: [floats(&[2])?, floats(&[2, 300, 41])?],
            spectrum: call("complex", latten::args![&floats(&[150, 76])?, &floats(&[150, 76])?])?.tensor()?,
        })
    }

    /// Those that have names.
    pub(crate) fn keywords(&self, name: &str) -> Option<(&'static str, NamedArgument<'_>)> {
        name.ends_with("segment_reduce").then(|| ("lengths", (&self.lengths).into()))
    }

    /// The arguments of an operation, where they are here.
    pub(crate) fn arguments<'a>(&'a self, operation: Operation, of: &'a Operands) -> Option<Vec<NamedArgument<'a>>> {
        let name = operation.name().trim_end_matches('_');
        let over = name.bytes().rev().find(u8::is_ascii_digit).map_or(2, |digit| usize::from(digit - b'0'));
        let (matrix, row) = (of.matrix(), of.row());
        let [all, each] = of.places();
        let int = |number: i64| NamedArgument::from(number);
        Some(match name {
            "cross" | "linalg.cross" => vec![(&self.triples).into(), (&self.triples).into()],
            "max_unpool1d" | "max_unpool2d" | "max_unpool3d" => {
                vec![(&self.images[over - 1]).into(), (&self.spots[over - 1]).into(), int(1)]
            }
            "empty_strided" => vec![vec![int(160), int(130)].into(), vec![int(130), int(1)].into()],
            "new_empty_strided" => vec![matrix.into(), vec![int(160), int(130)].into(), vec![int(130), int(1)].into()],
            "empty_permuted" => vec![vec![int(160), int(130)].into(), vec![int(1), int(0)].into()],
            "native_layer_norm" => vec![matrix.into(), vec![int(130)].into(), ().into(), ().into(), 0.5.into()],
            "native_group_norm" => {
                let sizes = [2, 16, 2000, 4].map(int);
                [vec![(&self.images[0]).into(), ().into(), ().into()], sizes.into(), vec![0.5.into()]].into_iter().flatten().collect()
            }
            "masked.norm" => vec![matrix.into(), 2.0.into(), int(1)],
            "masked.normalize" => vec![matrix.into(), 2.0.into(), int(1)],
            "mvlgamma" | "special.multigammaln" => vec![matrix.into(), int(2)],
            "conv1d" | "conv2d" | "conv3d" | "conv_transpose1d" | "conv_transpose2d" | "conv_transpose3d" => {
                vec![(&self.images[over - 1]).into(), (&self.weights[over - 1]).into()]
            }
            "convolution" => {
                let [one, none] = [1, 0].map(|number| NamedArgument::from(vec![int(number)]));
                let again = NamedArgument::from(vec![int(1)]);
                let added = NamedArgument::from(vec![int(0)]);
                vec![(&self.images[1]).into(), (&self.weights[1]).into(), ().into(), one, none, again, false.into(), added, int(1)]
            }
            "im2col" => vec![(&self.images[1]).into(), int(3), int(1), int(0), int(1)],
            "col2im" => vec![(&self.columns).into(), vec![int(40), int(40)].into(), int(3), int(1), int(0), int(1)],
            "fold" => vec![(&self.columns).into(), int(40), int(3)],
            "nn.functional.unfold" => vec![(&self.images[1]).into(), int(3)],
            _ if name.starts_with("max_pool") || name.starts_with("avg_pool") => {
                vec![(&self.images[over - 1]).into(), int(2), int(1)]
            }
            _ if name.starts_with("adaptive_") => vec![(&self.images[over - 1]).into(), int([1900, 39, 19][over - 1])],
            "interpolate" | "upsample_nearest" | "upsample_bilinear" => vec![(&self.images[1]).into(), int(60)],
            "grid_sampler_3d" => vec![(&self.images[2]).into(), (&self.depths).into(), int(0), int(0), false.into()],
            "_batch_norm_no_update"
            | "_batch_norm_with_update"
            | "_native_batch_norm_legit_no_training"
            | "_native_batch_norm_legit"
            | "native_batch_norm" => {
                let known = [&self.images[1], &self.channels, &self.channels, &self.channels, &self.channels].map(NamedArgument::from);
                let training = name.contains("native") && !name.ends_with("no_training");
                let flag = training.then(|| NamedArgument::from(true));
                known.into_iter().chain(flag).chain([0.5.into(), 0.5.into()]).collect()
            }
            "_softmax_backward_data" | "_log_softmax_backward_data" => vec![matrix.into(), matrix.into(), int(1), DType::F32.into()],
            "segment_reduce" | "_segment_reduce" => vec![matrix.into(), "sum".into()],
            "ctc_loss" | "_ctc_loss" => {
                vec![(&self.steps).into(), (&self.labels).into(), [300, 300].map(int).into(), [20, 20].map(int).into()]
            }
            "_ctc_loss_backward" => {
                let (steps, labels) = ([300, 300].map(int).into(), [20, 20].map(int).into());
                let [losses, found] = &self.aligned;
                vec![(&self.few).into(), (&self.steps).into(), (&self.labels).into(), steps, labels, losses.into(), found.into(), int(0)]
            }
            "batch_norm" => vec![(&self.images[1]).into(), ().into(), ().into(), ().into(), ().into(), true.into()],
            "instance_norm" => vec![(&self.images[1]).into()],
            "local_response_norm" => vec![(&self.images[1]).into(), int(3)],
            "linalg.inv"
            | "inverse"
            | "linalg.det"
            | "det"
            | "logdet"
            | "linalg.slogdet"
            | "linalg.cholesky"
            | "linalg.qr"
            | "linalg.eigh"
            | "linalg.svd"
            | "svd"
            | "linalg.eigvalsh"
            | "linalg.cond"
            | "linalg.inv_ex"
            | "linalg.cholesky_ex"
            | "linalg.lu"
            | "linalg.lu_factor"
            | "linalg.lu_factor_ex"
            | "lu"
            | "cholesky_inverse"
            | "linalg.matrix_exp"
            | "matrix_exp"
            | "linalg.svdvals"
            | "linalg.pinv"
            | "linalg.eig"
            | "linalg.eigvals"
            | "geqrf"
            | "linalg.ldl_factor"
            | "linalg.ldl_factor_ex"
            | "linalg.polar"
            | "linalg.matrix_sqrth"
            | "pinverse"
            | "linalg.matrix_rank" => {
                vec![(&self.regular).into()]
            }
            "_fft_c2c" => vec![(&self.spectrum).into(), vec![int(0), int(1)].into(), int(0), true.into()],
            "_fft_r2c" => vec![matrix.into(), vec![int(0), int(1)].into(), int(0), true.into()],
            "stft" => {
                let (size, hop, none) = (int(8), int(4), ().into());
                vec![matrix.into(), size, hop, none, ().into(), true.into(), "reflect".into(), false.into(), true.into(), true.into()]
            }
            "istft" => vec![(&self.spectrum).into(), int(298)],
            "histogram" => vec![matrix.into(), row.into()],
            "histogramdd" => vec![(&self.points).into(), int(2)],
            "_fft_c2r" => vec![(&self.spectrum).into(), vec![int(0), int(1)].into(), int(0), int(150)],
            _ if name.starts_with("fft.") && !name.ends_with("freq") => vec![matrix.into()],
            "linalg.matrix_power" | "matrix_power" => vec![(&self.regular).into(), int(3)],
            "linalg.tensorinv" => vec![(&self.regular).into(), int(1)],
            "linalg.tensorsolve" => vec![(&self.regular).into(), (&self.side).into()],
            "lu_unpack" => vec![(&self.regular).into(), (&self.pivots).into()],
            "ormqr" => vec![(&self.regular).into(), (&self.side).into(), (&self.regular).into()],
            "linalg.lu_solve" | "linalg.ldl_solve" => vec![(&self.regular).into(), (&self.pivots).into(), (&self.regular).into()],
            "lu_solve" => vec![(&self.regular).into(), (&self.regular).into(), (&self.pivots).into()],
            "linalg.householder_product" | "orgqr" => vec![(&self.regular).into(), (&self.few).into()],
            "special.zeta" | "igamma" | "igammac" | "special.gammainc" | "special.gammaincc" => vec![matrix.into(), matrix.into()],
            _ if name.contains("_polynomial_") => vec![matrix.into(), matrix.into()],
            "grid_sample" => vec![(&self.images[1]).into(), (&self.spread).into()],
            "affine_grid" => vec![(&self.affine).into(), [2, 1, 100, 200].map(int).into()],
            "grid_sampler_2d" => vec![(&self.images[1]).into(), (&self.spread).into(), int(0), int(0), false.into()],
            "linalg.solve" | "_solve" | "linalg.solve_ex" | "cholesky_solve" | "triangular_solve" | "linalg.lstsq" => {
                vec![(&self.regular).into(), (&self.regular).into()]
            }
            "linalg.matrix_norm" | "linalg.norm" => vec![matrix.into(), int(1)],
            "linalg.multi_dot" => vec![vec![matrix, row].into()],
            "cdist" => vec![(&self.narrow).into(), (&self.narrow).into()],
            "pdist" => vec![(&self.narrow).into()],
            "bilinear" => vec![(&self.narrow).into(), (&self.narrow).into(), (&self.pairs).into()],
            "_upsample_bilinear2d_aa" => vec![(&self.images[1]).into(), [60, 60].map(int).into(), false.into()],
            "_scaled_dot_product_flash_attention_for_cpu" => [&self.images[1]; 3].map(NamedArgument::from).into_iter().collect(),
            "multi_head_attention_forward" => {
                let nothing = || [(), ()].map(NamedArgument::from);
                let weights =
                    [NamedArgument::from(&self.projections)].into_iter().chain(nothing()).chain([().into(), false.into(), 0.0.into()]);
                [matrix; 3]
                    .map(NamedArgument::from)
                    .into_iter()
                    .chain([int(130), int(2)])
                    .chain(weights)
                    .chain([(&self.regular).into(), ().into()])
                    .collect()
            }
            "scaled_dot_product_attention" => vec![matrix.into(), matrix.into(), matrix.into()],
            "embedding_bag" => vec![each.into(), matrix.into(), (&self.offsets).into()],
            "multi_margin_loss" => vec![matrix.into(), of.classes().into()],
            "multilabel_margin_loss" => vec![row.into(), each.into()],
            "multilabel_soft_margin_loss" | "complex" | "polar" | "heaviside" => vec![matrix.into(), matrix.into()],
            "masked_scatter" => vec![matrix.into(), of.mask().into(), matrix.into()],
            "bmm" => vec![of.batch().into(), of.batch().into()],
            "outer" | "ger" => vec![row.into(), row.into()],
            "kron" => vec![matrix.into(), (&self.few).into()],
            "linalg.vander" | "diagflat" => vec![row.into()],
            "one_hot" => vec![each.into()],
            "repeat" => vec![row.into(), vec![int(160), int(2)].into()],
            "repeat_interleave" if operation.signature().contains("int repeats") => vec![matrix.into(), int(2)],
            "repeat_interleave" => vec![matrix.into(), of.classes().into(), int(0)],
            "index_put" => vec![matrix.into(), vec![all].into(), row.into()],
            "split_with_sizes_copy" => vec![of.batch().into(), vec![int(1), int(1)].into()],
            "put" => vec![matrix.into(), all.into(), matrix.into()],
            "index_copy" => vec![matrix.into(), int(1), each.into(), matrix.into()],
            "index_reduce" => vec![matrix.into(), int(1), each.into(), matrix.into(), "prod".into()],
            "as_strided_scatter" => vec![matrix.into(), row.into(), vec![int(130)].into(), vec![int(1)].into()],
            "select_scatter" => vec![matrix.into(), row.into(), int(0), int(0)],
            "slice_scatter" => vec![matrix.into(), matrix.into()],
            "diagonal_scatter" => vec![matrix.into(), row.into()],
            "unravel_index" => vec![all.into(), vec![int(150), int(150)].into()],
            "corrcoef" => vec![matrix.into()],
            "cartesian_prod" => vec![row.into(), row.into()],
            "combinations" => vec![row.into()],
            "searchsorted" => vec![row.into(), matrix.into()],
            "bucketize" => vec![matrix.into(), row.into()],
            "isin" => vec![of.long().into(), row.into()],
            "tril_indices" | "triu_indices" => vec![int(150), int(150)],
            "expand_copy" => vec![row.into(), vec![int(160), int(130)].into()],
            "as_strided_copy" => vec![matrix.into(), vec![int(160), int(130)].into(), vec![int(130), int(1)].into()],
            "sum_to_size" => vec![matrix.into(), vec![int(1), int(130)].into()],
            _ => return None,
        })
    }
}
