//! What a kernel is given: `Arguments` of the prelude, byte for byte, and the choice of its walk. Grids that are too large or have too many
//! dimensions for one launch are cut into several.

use std::sync::Arc;

use latten_kernel::kernels::source::WalkKind;
use smallvec::SmallVec;

use crate::cuda::library::LoadedKernel;
use crate::cuda::{Context, Queue};
use crate::error::{Error, Result};
use crate::geometry::Dims;
use crate::raw::RawTensor;

/// The bytes of a number.
pub(crate) const NUMBER: usize = 16;
/// The dimensions that a kernel can walk over.
const RANK: usize = 8;
/// Elements of one launch: indices and the division by multiplication need 31 bits.
const LARGEST: usize = i32::MAX as usize;
/// Threads of a block, as `ENTRY` of the prelude says.
const THREADS: usize = 256;
/// The sides of a tile: a block is eight of its lines.
const TILE: usize = 32;
/// Bytes that a device reads at least: neighbours further apart don't share them.
const SECTOR: usize = 32;
/// Blocks for each multiprocessor where elements are taken one by one, of any strides; beyond that, threads take several turns. Of neighbours that
/// are taken together a thread has one turn: a device is quicker in starting blocks than in going on.
const BLOCKS: usize = 64;

/// The elements of one tensor along the grid.
#[derive(Clone, Debug)]
pub(crate) struct DeviceLane {
    address: u64,
    itemsize: u64,
    strides: Dims,
}

impl DeviceLane {
    /// The elements of a tensor whose storage begins at an address of the device.
    pub(crate) fn new(start: u64, tensor: &RawTensor, sizes: &[usize], strides: &[usize]) -> Result<Self> {
        let (itemsize, offset) = (tensor.dtype().itemsize(), tensor.storage_offset());
        let last =
            sizes.iter().zip(strides).try_fold(offset, |last, (&size, &stride)| last.checked_add((size.max(1) - 1).checked_mul(stride)?));
        let needed = last.and_then(|last| last.checked_add(1)?.checked_mul(itemsize)).unwrap_or(usize::MAX);
        let nbytes = tensor.storage().nbytes();
        if needed > nbytes {
            return Err(Error::runtime(format!("the tensor reads {needed} bytes of a storage that has been resized to {nbytes}")));
        }
        let address = start + (offset * itemsize) as u64;
        if !address.is_multiple_of(itemsize as u64) {
            return Err(Error::not_implemented(format!(
                "a tensor of {} on {} begins at an address that is no multiple of {itemsize}: a slice of a storage that starts between two \
                 elements can't be used there",
                tensor.dtype(),
                tensor.device()
            )));
        }
        Ok(Self { address, itemsize: itemsize as u64, strides: strides.into() })
    }

    /// The places of elements, which strides lead to: the prelude's `place` has no memory, and its address is the first one.
    pub(crate) fn places(strides: &[usize]) -> Self {
        Self { address: 0, itemsize: 1, strides: strides.into() }
    }

    /// The same from another element on.
    fn shifted(&mut self, elements: usize) {
        self.address += elements as u64 * self.itemsize;
    }

    /// Whether the elements lie in the order of the grid.
    fn is_dense(&self, sizes: &[usize]) -> bool {
        let mut step = 1;
        sizes.iter().zip(&self.strides).all(|(&size, &stride)| {
            let fits = stride == step || size == 1;
            step *= size;
            fits
        })
    }

    fn is_constant(&self, sizes: &[usize]) -> bool {
        sizes.iter().zip(&self.strides).all(|(&size, &stride)| stride == 0 || size == 1)
    }

    fn is_aligned(&self, width: usize) -> bool {
        self.address.is_multiple_of(width as u64 * self.itemsize)
    }
}

/// How a kernel walks over a grid.
struct Way {
    walk: WalkKind,
    /// Elements, or packs of them.
    count: usize,
    /// A bit for each operand that lies side by side.
    packed: u32,
    /// Whether neighbours are taken together.
    vectors: bool,
}

impl Way {
    const fn strided(count: usize) -> Self {
        Self { walk: WalkKind::Strided, count, packed: 0, vectors: false }
    }
}

/// A kernel and what it needs beside tensors.
pub(crate) struct Launch<'a> {
    pub(crate) kernel: &'a LoadedKernel,
    pub(crate) context: &'static Context,
    pub(crate) queue: &'a Arc<Queue>,
    pub(crate) numbers: &'a [[u8; NUMBER]],
}

impl Launch<'_> {
    /// Launches the kernel over a grid without empty dimensions.
    pub(crate) fn over(&self, sizes: &[usize], lanes: &mut [DeviceLane]) -> Result<()> {
        let count: usize = sizes.iter().product();
        if count <= LARGEST && sizes.len() <= RANK {
            return self.once(sizes, count, lanes);
        }
        let Some((&outer, inner)) = sizes.split_last() else { return Ok(()) };
        if sizes.len() > RANK || outer == 1 {
            for _ in 0..outer {
                self.over(inner, &mut lanes.to_vec())?;
                lanes.iter_mut().for_each(|lane| lane.shifted(lane.strides[inner.len()]));
            }
            return Ok(());
        }
        let mut half: Dims = sizes.into();
        half[inner.len()] = outer / 2;
        self.over(&half, &mut lanes.to_vec())?;
        lanes.iter_mut().for_each(|lane| lane.shifted(lane.strides[inner.len()] * (outer / 2)));
        half[inner.len()] = outer - outer / 2;
        self.over(&half, lanes)
    }

    fn once(&self, sizes: &[usize], count: usize, lanes: &[DeviceLane]) -> Result<()> {
        let way = self.way(sizes, count, lanes);
        if way.walk == WalkKind::Strided
            && let Some(across) = across(sizes, lanes)
        {
            return self.in_tiles(across, sizes, lanes);
        }
        self.by(&way, sizes, lanes)
    }

    /// Launches the kernel over a grid in one way.
    fn by(&self, way: &Way, sizes: &[usize], lanes: &[DeviceLane]) -> Result<()> {
        let work = if way.walk == WalkKind::Dense && way.vectors { way.count.div_ceil(self.kernel.width) } else { way.count };
        let most = match way.walk {
            WalkKind::Dense | WalkKind::Rows => LARGEST,
            WalkKind::Strided => BLOCKS * self.context.properties().multiprocessors.max(1) as usize,
        };
        let blocks = work.div_ceil(THREADS).clamp(1, most);
        let mut bytes = self.bytes(sizes, way, lanes);
        let blocks = u32::try_from(blocks).unwrap_or(1);
        self.queue.launch(self.kernel.function(way.walk), blocks, THREADS as u32, &mut bytes)
    }

    /// Tiles of a grid, of the innermost dimension and of another one: what a block reads lies together for every operand. What no tile fills
    /// is launched by itself.
    fn in_tiles(&self, across: usize, sizes: &[usize], lanes: &[DeviceLane]) -> Result<()> {
        let whole = [0, across].map(|dim| sizes[dim] - sizes[dim] % TILE);
        let order = |dims: &[usize], scale: fn(usize, usize) -> usize| -> Dims {
            let tiles = [dims[0], dims[across], scale(dims[across], TILE), scale(dims[0], TILE)];
            tiles.into_iter().chain((1..dims.len()).filter(|&dim| dim != across).map(|dim| dims[dim])).collect()
        };
        let mut tiled = order(sizes, |size, tile| size / tile);
        tiled[..2].fill(TILE);
        let turned: SmallVec<[DeviceLane; 8]> =
            lanes.iter().map(|lane| DeviceLane { strides: order(&lane.strides, |stride, tile| stride * tile), ..lane.clone() }).collect();
        self.by(&Way::strided(tiled.iter().product()), &tiled, &turned)?;
        // What is left of the innermost dimension, and of the other one beside the tiles.
        for (dim, first) in [(0, whole[0]), (across, whole[1])] {
            let mut rest: Dims = sizes.into();
            rest[dim] -= first;
            if dim == across {
                rest[0] = whole[0];
            }
            if rest[dim] > 0 {
                let mut lanes = lanes.to_vec();
                lanes.iter_mut().for_each(|lane| lane.shifted(lane.strides[dim] * first));
                self.once(&rest, rest.iter().product(), &lanes)?;
            }
        }
        Ok(())
    }

    fn way(&self, sizes: &[usize], count: usize, lanes: &[DeviceLane]) -> Way {
        let width = self.kernel.width;
        let bits = |holds: &dyn Fn(&DeviceLane) -> bool| {
            lanes.iter().enumerate().filter(|(_, lane)| holds(lane)).fold(0, |bits, (i, _)| bits | 1 << i)
        };
        let dense = |lane: &DeviceLane| lane.is_dense(sizes);
        if lanes[0].is_dense(sizes) && lanes.iter().all(|lane| dense(lane) || lane.is_constant(sizes)) {
            let vectors = width > 1 && lanes.iter().all(|lane| !dense(lane) || lane.is_aligned(width));
            return Way { walk: WalkKind::Dense, count, packed: bits(&dense), vectors };
        }
        let side_by_side = |lane: &DeviceLane| lane.strides[0] == 1;
        let whole =
            |lane: &DeviceLane| !side_by_side(lane) || lane.is_aligned(width) && lane.strides[1..].iter().all(|s| s.is_multiple_of(width));
        let rows = width > 1
            && side_by_side(&lanes[0])
            && sizes[0].is_multiple_of(width)
            && lanes.iter().all(|lane| lane.strides[0] <= 1 && whole(lane));
        if rows {
            return Way { walk: WalkKind::Rows, count: count / width, packed: bits(&side_by_side), vectors: true };
        }
        Way::strided(count)
    }

    /// `Arguments` of the prelude.
    fn bytes(&self, sizes: &[usize], way: &Way, lanes: &[DeviceLane]) -> SmallVec<[u8; 512]> {
        let rows = way.walk == WalkKind::Rows;
        let rank = if way.walk == WalkKind::Dense { 0 } else { sizes.len() };
        let mut bytes = SmallVec::new();
        let word = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).to_ne_bytes();
        for number in [word(way.count), word(rank), way.packed.to_ne_bytes(), u32::from(way.vectors).to_ne_bytes()] {
            bytes.extend_from_slice(&number);
        }
        for lane in lanes {
            bytes.extend_from_slice(&lane.address.to_ne_bytes());
        }
        for lane in lanes {
            for dim in 0..RANK {
                let stride = lane.strides.get(dim).copied().filter(|_| dim < rank).unwrap_or(0);
                let stride = if rows && dim == 0 && stride == 1 { self.kernel.width } else { stride };
                bytes.extend_from_slice(&(stride as u64).to_ne_bytes());
            }
        }
        for dim in 0..RANK {
            let size = sizes.get(dim).copied().filter(|_| dim < rank).unwrap_or(1);
            let size = if rows && dim == 0 { size / self.kernel.width } else { size };
            for number in axis(size) {
                bytes.extend_from_slice(&number.to_ne_bytes());
            }
        }
        bytes.resize(bytes.len().next_multiple_of(NUMBER), 0);
        for number in self.numbers.iter().chain([[0; NUMBER]].iter().filter(|_| self.numbers.is_empty())) {
            bytes.extend_from_slice(number);
        }
        bytes
    }
}

/// The dimension along which an operand lies side by side that doesn't along the innermost one, where tiles of both are worth it.
fn across(sizes: &[usize], lanes: &[DeviceLane]) -> Option<usize> {
    if sizes.len() + 2 > RANK || sizes[0] < TILE {
        return None;
    }
    let apart = lanes.iter().filter(|lane| lane.strides[0] * lane.itemsize as usize >= SECTOR);
    apart.flat_map(|lane| (1..sizes.len()).filter(|&dim| lane.strides[dim] == 1)).find(|&dim| sizes[dim] >= TILE)
}

/// `Axis` of the prelude: a size, and the numbers that divide by it.
#[expect(clippy::cast_possible_truncation, reason = "sizes have 31 bits, and the number is below 2^32")]
pub(super) fn axis(size: usize) -> [u32; 3] {
    let size = size as u64;
    let shift = size.next_power_of_two().trailing_zeros();
    let magic = ((1_u64 << 32) * ((1_u64 << shift) - size)) / size + 1;
    [size as u32, magic as u32, shift]
}

#[cfg(test)]
mod tests {
    use super::axis;

    #[test]
    fn multiplication_and_a_shift_divide() {
        let numbers = |size: u32| [0, 1, size - 1, size, size + 1, 2 * size, 3 * size - 1, i32::MAX as u32 - 1, i32::MAX as u32];
        for size in (1..2000).chain([1 << 20, (1 << 20) + 1, 123_456_789, 1 << 30, (1 << 30) - 1]) {
            let [own, magic, shift] = axis(size as usize);
            for n in numbers(size).into_iter().filter(|&n| n <= i32::MAX as u32) {
                let high = ((u64::from(n) * u64::from(magic)) >> 32) as u32;
                assert_eq!((high + n) >> shift, n / own, "{n} / {size}");
            }
        }
    }
}
