//! Values written to pieces of a tensor, or added to them, wherever these lie. Where they lie, `select` says.

use super::scatter::{Combined, ScatterReduce};
use super::{BLOCK, Whence, reader};
use crate::element::Native;
use crate::error::Result;
use crate::kernels::places::{Places, PlacesMut, by_size};
use crate::match_dtype;
use crate::raw::RawTensor;
use crate::room::filled;
use crate::storage::Access;

/// Writes values to pieces of `run` neighbours, one piece after the other. What comes `before` that is done when nothing can be refused any more.
pub(super) fn write(
    access: &Access<'_>,
    to: &RawTensor,
    values: &RawTensor,
    combine: ScatterReduce,
    run: usize,
    whence: Whence<'_>,
    before: &dyn Fn() -> Result<()>,
) -> Result<()> {
    to.check_inside()?;
    match combine {
        ScatterReduce::Replace => by_size!(to.dtype(), T => replace::<T>(access, to, values, run, whence, before)),
        _ => match_dtype!(to.dtype(), T => {
            before()?;
            add::<T>(access, to, values, combine, run, whence)
        }, else Ok(())),
    }
}

fn replace<T: Native + Default>(
    access: &Access<'_>,
    tensor: &RawTensor,
    values: &RawTensor,
    run: usize,
    whence: Whence<'_>,
    before: &dyn Fn() -> Result<()>,
) -> Result<()> {
    let elements = reader::<T>(access, values)?;
    let (mut places, mut scratch) = ([0; BLOCK], filled(run.max(BLOCK), T::default())?);
    before()?;
    let mut to = PlacesMut::<T>::new(access, tensor.storage())?;
    let pieces = values.numel() / run;
    for first in (0..pieces).step_by(BLOCK) {
        let places = &mut places[..BLOCK.min(pieces - first)];
        whence(first, places);
        if run == 1 {
            let block = elements.read(first, places.len(), &mut scratch);
            to.set_each(places, block);
        } else {
            (first..).zip(&*places).for_each(|(piece, &place)| to.copy_from(place, elements.read(piece * run, run, &mut scratch)));
        }
    }
    Ok(())
}

fn add<T: Combined>(
    access: &Access<'_>,
    tensor: &RawTensor,
    values: &RawTensor,
    combine: ScatterReduce,
    run: usize,
    whence: Whence<'_>,
) -> Result<()> {
    let (from, mut to) = (Places::<T>::new(access, tensor.storage())?, PlacesMut::<T>::new(access, tensor.storage())?);
    let elements = reader::<T>(access, values)?;
    let (mut places, mut scratch) = ([0; BLOCK], filled(run.max(BLOCK), T::default())?);
    let pieces = values.numel() / run;
    for first in (0..pieces).step_by(BLOCK) {
        let places = &mut places[..BLOCK.min(pieces - first)];
        whence(first, places);
        // Short pieces are read together.
        let together = (BLOCK / run).max(1);
        for (some, at) in places.chunks(together).zip((first..).step_by(together)) {
            let block = elements.read(at * run, some.len() * run, &mut scratch);
            for (&place, piece) in some.iter().zip(block.chunks_exact(run)) {
                for (place, &element) in (place..).zip(piece) {
                    to.set(place, from.get(place).combine(combine, element));
                }
            }
        }
    }
    Ok(())
}
