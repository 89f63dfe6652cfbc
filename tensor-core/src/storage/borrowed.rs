//! Numbers of the user's below a storage, for as long as a call lasts. A guard in place of the call could be forgotten, and then handles of the
//! storage would outlive the numbers.

use super::UntypedStorage;
use super::access::{Access, Cell};
use super::lock::LockMode;
use super::memory::{ForeignBytes, Memory};
use crate::device::Device;
use crate::element::Native;
use crate::error::Result;
use latten_spec::DType;

/// A storage over borrowed numbers. Whoever still has a handle of it afterwards finds it empty.
struct Loan {
    storage: UntypedStorage,
    mode: LockMode,
    dtype: DType,
}

impl Loan {
    fn new<T: Native>(start: *mut T, count: usize, mode: LockMode) -> Self {
        let cell = Cell::new(Memory::Borrowed(ForeignBytes(start.cast()), mode), count * size_of::<T>(), Device::CPU);
        Self { storage: UntypedStorage::over(cell), mode, dtype: T::DTYPE }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        let last = |access: &Access<'_>| {
            if self.dtype == DType::Bool && self.mode == LockMode::Write { make_bools(access, &self.storage) } else { Ok(()) }
        };
        // Operations end by themselves, slices of such a storage aren't lent, and no circle of threads chooses this one to give up: so this waits
        // until nobody is at the numbers. If that weren't so, going on would leave them to others.
        if Access::end(&self.storage, last).is_err() {
            std::process::abort();
        }
    }
}

/// A byte below a tensor of bools may hold any value, one below Rust's only two.
fn make_bools(access: &Access<'_>, storage: &UntypedStorage) -> Result<()> {
    let mut some = [0; 512];
    for start in (0..storage.nbytes()).step_by(some.len()) {
        let part = &mut some[..(storage.nbytes() - start).min(512)];
        access.copy_out(storage, start, part)?;
        if part.iter().any(|byte| *byte > 1) {
            part.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
            access.copy_in(storage, start, part)?;
        }
    }
    Ok(())
}

impl UntypedStorage {
    /// Lets `work` use numbers as a storage, without a copy. It can't be written, resized or moved, and lends no slices.
    ///
    /// When `work` is done, and other threads with their operations on the storage, what is left of it is empty.
    ///
    /// ```
    /// # use latten_core::storage::UntypedStorage;
    /// let kept = UntypedStorage::with_slice(&[1_u8, 2, 3], |storage| {
    ///     assert_eq!(storage.get(-1)?, 3);
    ///     assert!(storage.fill_(0).is_err());
    ///     Ok::<_, latten_core::error::Error>(storage.clone())
    /// })?;
    /// assert_eq!(kept.nbytes(), 0);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    pub fn with_slice<T: Native, R>(numbers: &[T], work: impl FnOnce(&Self) -> R) -> R {
        let loan = Loan::new(numbers.as_ptr().cast_mut(), numbers.len(), LockMode::Read);
        work(&loan.storage)
    }

    /// The same with numbers that may be written.
    pub fn with_slice_mut<T: Native, R>(numbers: &mut [T], work: impl FnOnce(&Self) -> R) -> R {
        let count = numbers.len();
        let loan = Loan::new(numbers.as_mut_ptr(), count, LockMode::Write);
        work(&loan.storage)
    }
}
