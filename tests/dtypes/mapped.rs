//! The arguments of every operation, of other dtypes or on another device.

use latten::prelude::*;
use latten::random::Generator;
use latten::tensor::SparseTensor;
use latten::{Coalesced, Result};

use super::arguments::Operands;
use super::layers::Layers;

impl Operands {
    /// The same of other tensors.
    pub(crate) fn map(&self, of: &impl Fn(&DynTensor) -> Result<DynTensor>) -> Result<Self> {
        let (indices, values) = (of(&self.sparse.raw_indices().erase())?, of(&self.sparse.raw_values().erase())?);
        Ok(Self {
            tensors: self.tensors.iter().map(of).collect::<Result<_>>()?,
            sparse: SparseTensor::new_with(&indices.typed::<i64, Rank<2>>()?, &values, self.sparse.sizes(), Coalesced::Yes)
                .or_else(|_| SparseTensor::new(&indices.typed::<i64, Rank<2>>()?, &values, self.sparse.sizes()))?,
            mask: of(&self.mask)?,
            row: of(&self.row)?,
            places: [of(&self.places[0])?, of(&self.places[1])?],
            start: of(&self.start)?,
            generator: Generator::new(),
            layers: self.layers.map(of)?,
        })
    }
}

impl Layers {
    /// The same of other tensors.
    fn map(&self, of: &impl Fn(&DynTensor) -> Result<DynTensor>) -> Result<Self> {
        Ok(Self {
            images: [of(&self.images[0])?, of(&self.images[1])?, of(&self.images[2])?],
            weights: [of(&self.weights[0])?, of(&self.weights[1])?, of(&self.weights[2])?],
            columns: of(&self.columns)?,
            triples: of(&self.triples)?,
            regular: of(&self.regular)?,
            side: of(&self.side)?,
            pivots: of(&self.pivots)?,
            few: of(&self.few)?,
            spread: of(&self.spread)?,
            affine: of(&self.affine)?,
            spots: [of(&self.spots[0])?, of(&self.spots[1])?, of(&self.spots[2])?],
            narrow: of(&self.narrow)?,
            points: of(&self.points)?,
            pairs: of(&self.pairs)?,
            offsets: of(&self.offsets)?,
            spectrum: of(&self.spectrum)?,
            depths: of(&self.depths)?,
            channels: of(&self.channels)?,
            lengths: of(&self.lengths)?,
            projections: of(&self.projections)?,
            steps: of(&self.steps)?,
            labels: of(&self.labels)?,
            aligned: [of(&self.aligned[0])?, of(&self.aligned[1])?],
        })
    }
}
