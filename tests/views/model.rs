//! A naive tensor: a list of places in memory, one for each element, and sizes, strides and offset by PyTorch's rules. Every view says
//! for each of its elements which old one it is; no arithmetic of the library is used.

/// A tensor over a memory that holds the number of each place.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) sizes: Vec<usize>,
    pub(crate) strides: Vec<usize>,
    pub(crate) offset: usize,
    /// Where each element lies, in row-major order.
    pub(crate) places: Vec<usize>,
    /// What lies at each place.
    pub(crate) memory: Vec<i64>,
}

/// Row-major strides; a size of 0 counts as 1.
pub(crate) fn contiguous(sizes: &[usize]) -> Vec<usize> {
    (0..sizes.len()).map(|d| sizes[d + 1..].iter().map(|&size| size.max(1)).product()).collect()
}

/// The dimension that a signed one means.
fn wrap(dim: isize, rank: usize) -> Option<usize> {
    let rank = rank.max(1).cast_signed();
    (-rank..rank).contains(&dim).then(|| dim.rem_euclid(rank).cast_unsigned())
}

/// A place in 0..=size, as Python's slices pull it there.
fn clamp(index: isize, size: usize) -> usize {
    let size = size.cast_signed();
    let index = if index < 0 { index + size } else { index };
    index.clamp(0, size).cast_unsigned()
}

impl Model {
    /// The numbers 0, 1, … in row-major order.
    pub(crate) fn arange(sizes: &[usize]) -> Self {
        let numel = sizes.iter().product();
        let memory = (0..).take(numel).collect();
        Self { sizes: sizes.into(), strides: contiguous(sizes), offset: 0, places: (0..numel).collect(), memory }
    }

    pub(crate) fn rank(&self) -> usize {
        self.sizes.len()
    }

    pub(crate) fn numel(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn elements(&self) -> Vec<i64> {
        self.places.iter().map(|&place| self.memory[place]).collect()
    }

    /// The same memory with other sizes, where `old` says from a new index which old one is meant.
    fn gather(&self, sizes: Vec<usize>, strides: Vec<usize>, offset: usize, old: impl Fn(&[usize], &mut [usize])) -> Self {
        let numel = sizes.iter().product();
        let mut index = vec![0; sizes.len()];
        let mut before = vec![0; self.rank()];
        let mut places = Vec::with_capacity(numel);
        for _ in 0..numel {
            old(&index, &mut before);
            places.push(self.places[before.iter().zip(&self.sizes).fold(0, |flat, (&at, &size)| flat * size + at)]);
            for d in (0..sizes.len()).rev() {
                index[d] += 1;
                if index[d] < sizes[d] {
                    break;
                }
                index[d] = 0;
            }
        }
        Self { sizes, strides, offset, places, memory: self.memory.clone() }
    }

    pub(crate) fn permute(&self, order: &[usize]) -> Self {
        let pick = |numbers: &[usize]| order.iter().map(|&d| numbers[d]).collect();
        self.gather(pick(&self.sizes), pick(&self.strides), self.offset, |new, old| {
            order.iter().zip(new).for_each(|(&d, &at)| old[d] = at);
        })
    }

    pub(crate) fn transpose(&self, a: isize, b: isize) -> Option<Self> {
        let (a, b) = (wrap(a, self.rank())?, wrap(b, self.rank())?);
        let mut order: Vec<usize> = (0..self.rank()).collect();
        if !order.is_empty() {
            order.swap(a, b);
        }
        Some(self.permute(&order))
    }

    pub(crate) fn movedim(&self, source: &[isize], destination: &[isize]) -> Option<Self> {
        let wrapped = |dims: &[isize]| dims.iter().map(|&dim| wrap(dim, self.rank())).collect::<Option<Vec<_>>>();
        let (source, destination) = (wrapped(source)?, wrapped(destination)?);
        let distinct = |dims: &[usize]| (0..dims.len()).all(|d| !dims[..d].contains(&dims[d]));
        if !distinct(&source) || !distinct(&destination) {
            return None;
        }
        let mut order: Vec<usize> = (0..self.rank()).filter(|d| !source.contains(d)).collect();
        let mut moves: Vec<_> = destination.into_iter().zip(source).collect();
        moves.sort_unstable();
        for (to, from) in moves {
            order.insert(to, from);
        }
        Some(self.permute(&order))
    }

    /// Places `start`, `start + step`, … along a dimension, `len` of them.
    fn pick(&self, dim: usize, start: usize, step: usize, len: usize) -> Self {
        let (mut sizes, mut strides) = (self.sizes.clone(), self.strides.clone());
        sizes[dim] = len;
        strides[dim] *= step;
        self.gather(sizes, strides, self.offset + start * self.strides[dim], |new, old| {
            old.copy_from_slice(new);
            old[dim] = start + step * new[dim];
        })
    }

    pub(crate) fn narrow(&self, dim: isize, start: isize, len: isize) -> Option<Self> {
        let dim = if self.rank() == 0 { None } else { wrap(dim, self.rank()) }?;
        let size = self.sizes[dim].cast_signed();
        let from = if start < 0 { start + size } else { start };
        ((0..=size).contains(&from) && len >= 0 && from + len <= size).then(|| self.pick(dim, from.cast_unsigned(), 1, len.cast_unsigned()))
    }

    pub(crate) fn slice(&self, dim: isize, start: Option<isize>, end: Option<isize>, step: isize) -> Option<Self> {
        let dim = if self.rank() == 0 { None } else { wrap(dim, self.rank()) }?;
        let size = self.sizes[dim];
        let start = start.map_or(0, |start| clamp(start, size));
        let end = end.map_or(size, |end| clamp(end, size)).max(start);
        let step = usize::try_from(step).ok().filter(|&step| step > 0)?;
        Some(self.pick(dim, start, step, (end - start).div_ceil(step)))
    }

    pub(crate) fn select(&self, dim: isize, index: isize) -> Option<Self> {
        let one = self.narrow(dim, if index == -1 { self.sizes.get(wrap(dim, self.rank())?)?.cast_signed() - 1 } else { index }, 1)?;
        let dim = wrap(dim, self.rank())?;
        Some(one.without(|d| d == dim))
    }

    /// Without dimensions of size 1.
    fn without(&self, gone: impl Fn(usize) -> bool) -> Self {
        let kept = |numbers: &[usize]| (0..self.rank()).filter(|&d| !gone(d)).map(|d| numbers[d]).collect();
        Self { sizes: kept(&self.sizes), strides: kept(&self.strides), ..self.clone() }
    }

    pub(crate) fn squeeze(&self, dims: Option<&[isize]>) -> Option<Self> {
        let Some(dims) = dims else { return Some(self.without(|d| self.sizes[d] == 1)) };
        let wrapped = dims.iter().map(|&dim| wrap(dim, self.rank())).collect::<Option<Vec<_>>>()?;
        let distinct = (0..wrapped.len()).all(|d| !wrapped[..d].contains(&wrapped[d]));
        distinct.then(|| self.without(|d| self.sizes[d] == 1 && wrapped.contains(&d)))
    }

    pub(crate) fn unsqueeze(&self, dim: isize) -> Option<Self> {
        let dim = wrap(dim, self.rank() + 1)?;
        let mut view = self.clone();
        let stride = if dim == self.rank() { 1 } else { self.sizes[dim] * self.strides[dim] };
        view.sizes.insert(dim, 1);
        view.strides.insert(dim, stride);
        Some(view)
    }

    pub(crate) fn unfold(&self, dim: isize, size: isize, step: isize) -> Option<Self> {
        let dim = wrap(dim, self.rank())?;
        let (size, step) = (usize::try_from(size).ok()?, usize::try_from(step).ok().filter(|&step| step > 0)?);
        if self.rank() == 0 {
            return (size <= 1).then(|| self.gather(vec![size], vec![1], self.offset, |_, _| {}));
        }
        let count = self.sizes[dim].checked_sub(size)? / step + 1;
        let (mut sizes, mut strides) = (self.sizes.clone(), self.strides.clone());
        sizes[dim] = count;
        strides[dim] *= step;
        sizes.push(size);
        strides.push(self.strides[dim]);
        Some(self.gather(sizes, strides, self.offset, |new, old| {
            old.copy_from_slice(&new[..old.len()]);
            old[dim] = step * new[dim] + new[old.len()];
        }))
    }

    pub(crate) fn diagonal(&self, offset: isize, row: isize, column: isize) -> Option<Self> {
        let (row, column) = (wrap(row, self.rank())?, wrap(column, self.rank())?);
        if row == column {
            return None;
        }
        let (down, right) = (offset.min(0).unsigned_abs(), offset.max(0).unsigned_abs());
        let len = self.sizes[row].saturating_sub(down).min(self.sizes[column].saturating_sub(right));
        let mut others: Vec<usize> = (0..self.rank()).filter(|&d| d != row && d != column).collect();
        let pick = |numbers: &[usize], last: usize| others.iter().map(|&d| numbers[d]).chain([last]).collect();
        let (sizes, strides) = (pick(&self.sizes, len), pick(&self.strides, self.strides[row] + self.strides[column]));
        let skipped = if len == 0 { 0 } else { down * self.strides[row] + right * self.strides[column] };
        others.push(row);
        Some(self.gather(sizes, strides, self.offset + skipped, |new, old| {
            others.iter().zip(new).for_each(|(&d, &at)| old[d] = at);
            old[column] = old[row] + right;
            old[row] += down;
        }))
    }

    pub(crate) fn expand(&self, target: &[isize]) -> Option<Self> {
        let lead = target.len().checked_sub(self.rank())?;
        let (mut sizes, mut strides) = (vec![0; target.len()], vec![0; target.len()]);
        for d in (0..target.len()).rev() {
            let (size, stride) = match d.checked_sub(lead) {
                Some(own) => (self.sizes[own], self.strides[own]),
                None if self.rank() == 0 => (1, 0),
                None => (1, sizes[d + 1] * strides[d + 1]),
            };
            let wanted = match target[d] {
                -1 if d < lead || self.rank() == 0 => return None,
                -1 => size,
                wanted => usize::try_from(wanted).ok()?,
            };
            if wanted != size && size != 1 {
                return None;
            }
            (sizes[d], strides[d]) = (wanted, if wanted == size { stride } else { 0 });
        }
        Some(self.gather(sizes, strides, self.offset, |new, old| {
            (0..old.len()).for_each(|d| old[d] = if self.sizes[d] == 1 { 0 } else { new[lead + d] });
        }))
    }

    /// Sizes in which one -1 stands for what is missing.
    fn inferred(shape: &[isize], numel: usize) -> Option<Vec<usize>> {
        let known: isize = shape.iter().filter(|&&size| size != -1).product();
        let open = shape.iter().filter(|&&size| size == -1).count();
        if open > 1 || shape.iter().any(|&size| size < -1) || (open == 1 && known == 0) {
            return None;
        }
        let missing = if open == 1 { numel.cast_signed() / known } else { 1 };
        (known * missing == numel.cast_signed())
            .then(|| shape.iter().map(|&size| if size == -1 { missing } else { size }.cast_unsigned()).collect())
    }

    /// The strides of a view, where one exists: chunks of old dimensions that follow each other are tiled by new dimensions.
    fn view_strides(&self, sizes: &[usize]) -> Option<Vec<usize>> {
        if self.rank() == 0 {
            return Some(vec![1; sizes.len()]);
        }
        if self.numel() == 0 {
            return Some(if self.sizes == sizes { self.strides.clone() } else { contiguous(sizes) });
        }
        let mut strides = vec![0; sizes.len()];
        let (mut open, mut base) = (sizes.len(), self.strides[self.rank() - 1]);
        let (mut chunk, mut tiled) = (1, 1);
        for d in (0..self.rank()).rev() {
            chunk *= self.sizes[d];
            if d == 0 || (self.sizes[d - 1] != 1 && self.strides[d - 1] != chunk * base) {
                while open > 0 && (tiled < chunk || sizes[open - 1] == 1) {
                    open -= 1;
                    strides[open] = tiled * base;
                    tiled *= sizes[open];
                }
                if tiled != chunk {
                    return None;
                }
                if d > 0 {
                    (base, chunk, tiled) = (self.strides[d - 1], 1, 1);
                }
            }
        }
        (open == 0).then_some(strides)
    }

    pub(crate) fn view(&self, shape: &[isize]) -> Option<Self> {
        let sizes = Self::inferred(shape, self.numel())?;
        Some(Self { strides: self.view_strides(&sizes)?, sizes, ..self.clone() })
    }

    pub(crate) fn reshape(&self, shape: &[isize]) -> Option<Self> {
        let sizes = Self::inferred(shape, self.numel())?;
        match self.view_strides(&sizes) {
            Some(strides) => Some(Self { strides, sizes, ..self.clone() }),
            None => Some(Self { memory: self.elements(), ..Self::arange(&sizes) }),
        }
    }

    /// A view of a contiguous tensor, else a copy, also where a view would do.
    pub(crate) fn ravel(&self) -> Option<Self> {
        let dense = contiguous(&self.sizes);
        let lies_dense = self.sizes.iter().zip(&self.strides).zip(&dense).all(|((&size, stride), dense)| size == 1 || stride == dense);
        if lies_dense || self.numel() == 0 {
            return self.reshape(&[-1]);
        }
        Some(Self { memory: self.elements(), ..Self::arange(&[self.numel()]) })
    }

    pub(crate) fn flatten(&self, start: isize, end: isize) -> Option<Self> {
        let (start, end) = (wrap(start, self.rank())?, wrap(end, self.rank())?);
        if start > end {
            return None;
        }
        let mut shape: Vec<isize> = self.sizes.iter().map(|size| size.cast_signed()).collect();
        if start == end && self.rank() > 0 {
            return Some(self.clone());
        }
        let flat = shape.iter().take(end + 1).skip(start).product();
        shape.splice(start..(end + 1).min(self.rank()), [flat]);
        self.reshape(&shape)
    }

    pub(crate) fn unflatten(&self, dim: isize, sizes: &[isize]) -> Option<Self> {
        let dim = if self.rank() == 0 || sizes.is_empty() { None } else { wrap(dim, self.rank()) }?;
        let inner = Self::inferred(sizes, self.sizes[dim])?;
        let mut shape: Vec<isize> = self.sizes.iter().map(|size| size.cast_signed()).collect();
        shape.splice(dim..=dim, inner.into_iter().map(usize::cast_signed));
        self.view(&shape)
    }

    /// Views of pieces of those lengths.
    fn pieces(&self, dim: usize, lengths: impl IntoIterator<Item = usize>) -> Vec<Self> {
        let mut start = 0;
        let piece = |len| {
            start += len;
            self.pick(dim, start - len, 1, len)
        };
        lengths.into_iter().map(piece).collect()
    }

    pub(crate) fn split(&self, size: isize, dim: isize) -> Option<Vec<Self>> {
        let dim = if self.rank() == 0 { None } else { wrap(dim, self.rank()) }?;
        let (size, all) = (usize::try_from(size).ok()?, self.sizes[dim]);
        match (size, all) {
            (_, 0) => Some(vec![self.clone()]),
            (0, _) => None,
            _ => Some(self.pieces(dim, (0..all.div_ceil(size)).map(|piece| size.min(all - piece * size)))),
        }
    }

    pub(crate) fn split_with_sizes(&self, sizes: &[isize], dim: isize) -> Option<Vec<Self>> {
        let dim = if self.rank() == 0 { None } else { wrap(dim, self.rank()) }?;
        let lengths = sizes.iter().map(|&size| usize::try_from(size).ok()).collect::<Option<Vec<_>>>()?;
        (lengths.iter().sum::<usize>() == self.sizes[dim]).then(|| self.pieces(dim, lengths))
    }

    pub(crate) fn chunk(&self, chunks: isize, dim: isize) -> Option<Vec<Self>> {
        let at = if self.rank() == 0 { None } else { wrap(dim, self.rank()) }?;
        let chunks = usize::try_from(chunks).ok().filter(|&chunks| chunks > 0)?;
        match self.sizes[at] {
            0 => Some(vec![self.clone(); chunks]),
            size => self.split(size.div_ceil(chunks).cast_signed(), dim),
        }
    }

    pub(crate) fn tensor_split(&self, sections: isize, dim: isize) -> Option<Vec<Self>> {
        let dim = if self.rank() == 0 { None } else { wrap(dim, self.rank()) }?;
        let sections = usize::try_from(sections).ok().filter(|&sections| sections > 0)?;
        let size = self.sizes[dim];
        Some(self.pieces(dim, (0..sections).map(|piece| size / sections + usize::from(piece < size % sections))))
    }

    /// Views of every place along a dimension.
    pub(crate) fn unbind(&self, dim: isize) -> Option<Vec<Self>> {
        let at = if self.rank() == 0 { None } else { wrap(dim, self.rank()) }?;
        (0..self.sizes[at].cast_signed()).map(|index| self.select(dim, index)).collect()
    }

    pub(crate) fn as_strided(&self, sizes: &[usize], strides: &[usize], offset: usize) -> Option<Self> {
        let last = sizes.iter().zip(strides).try_fold(offset, |last, (&size, &stride)| Some(last + size.checked_sub(1)? * stride));
        if last.is_some_and(|last| last >= self.memory.len()) {
            return None;
        }
        let whole = Self { places: (0..self.memory.len()).collect(), sizes: vec![self.memory.len()], ..self.clone() };
        Some(whole.gather(sizes.into(), strides.into(), offset, |new, old| {
            old[0] = new.iter().zip(strides).fold(offset, |place, (&at, &stride)| place + at * stride);
        }))
    }
}
