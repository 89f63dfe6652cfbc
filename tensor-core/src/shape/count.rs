//! The number of elements of shapes, compared while the program is compiled: `view(shape![4, 2])` of six elements isn't built. A comparison of
//! products is no relation between types, because types count only sizes that are small, and no parameters.

/// The sizes of a shape as its type knows them.
type CountedSizes = Option<&'static [Option<usize>]>;

/// The product of the sizes that are known, and how many are not.
const fn product(sizes: &[Option<usize>]) -> (usize, usize) {
    let (mut product, mut unknown, mut at) = (1_usize, 0, 0);
    while at < sizes.len() {
        match sizes[at] {
            Some(size) => product = product.saturating_mul(size),
            None => unknown += 1,
        }
        at += 1;
    }
    (product, unknown)
}

/// That a tensor of one shape can be seen as one of another, as far as the types know both.
///
/// # Panics
/// Where it can't, in PyTorch's words; in a constant this is an error of the compiler.
#[track_caller]
pub(crate) const fn assert_same_count(from: CountedSizes, to: CountedSizes) {
    let (Some(from), Some(to)) = (from, to) else { return };
    let ((numel, 0), (count, unknown)) = (product(from), product(to)) else { return };
    let fits = match unknown {
        0 => numel == count,
        1 => count != 0 && numel.is_multiple_of(count),
        _ => panic!("only one dimension can be inferred"),
    };
    if !fits {
        let mut text = Text { bytes: [0; 256], length: 0 };
        text.push("shape '[");
        let mut at = 0;
        while at < to.len() {
            text.push(if at == 0 { "" } else { ", " });
            match to[at] {
                Some(size) => text.number(size),
                None => text.push("_"),
            }
            at += 1;
        }
        text.push("]' is invalid for input of size ");
        text.number(numel);
        text.fail();
    }
}

/// That a tensor has one element, as far as its type knows.
///
/// # Panics
/// Where it has others, in PyTorch's words; in a constant this is an error of the compiler.
#[track_caller]
pub(crate) const fn assert_one(sizes: CountedSizes) {
    let Some(sizes) = sizes else { return };
    let (numel, unknown) = product(sizes);
    // A size that only the run knows may be 0, and a product of others is some multiple.
    if numel == 1 || unknown != 0 {
        return;
    }
    let mut text = Text { bytes: [0; 256], length: 0 };
    text.push("a Tensor with ");
    text.number(numel);
    text.push(" elements cannot be converted to Scalar");
    text.fail();
}

/// That a tensor of one shape can be expanded to another, as far as the types know both.
///
/// # Panics
/// Where it can't, in PyTorch's words; in a constant this is an error of the compiler.
#[track_caller]
pub(crate) const fn assert_expands(from: CountedSizes, to: CountedSizes) {
    let (Some(from), Some(to)) = (from, to) else { return };
    if from.len() > to.len() {
        panic!("expand: the number of sizes provided must be greater or equal to the number of dimensions in the tensor");
    }
    let (before, mut at) = (to.len() - from.len(), 0);
    while at < to.len() {
        match to[at] {
            None if at < before => panic!("the expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension"),
            Some(size) if at >= before => match from[at - before] {
                Some(own) if own != 1 && own != size => {
                    let mut text = Text { bytes: [0; 256], length: 0 };
                    text.push("The expanded size of the tensor (");
                    text.number(size);
                    text.push(") must match the existing size (");
                    text.number(own);
                    text.push(") at non-singleton dimension ");
                    text.number(at);
                    text.fail();
                }
                _ => {}
            },
            _ => {}
        }
        at += 1;
    }
}

/// A message, put together without an allocation.
struct Text {
    bytes: [u8; 256],
    length: usize,
}

impl Text {
    const fn push(&mut self, text: &str) {
        let (bytes, mut at) = (text.as_bytes(), 0);
        while at < bytes.len() && self.length < self.bytes.len() {
            self.bytes[self.length] = bytes[at];
            self.length += 1;
            at += 1;
        }
    }

    const fn number(&mut self, number: usize) {
        if number >= 10 {
            self.number(number / 10);
        }
        let digits = "0123456789";
        self.push(digits.split_at(number % 10).1.split_at(1).0);
    }

    #[track_caller]
    const fn fail(&self) {
        match str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => panic!("{}", text),
            Err(_) => panic!("another number of elements"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::assert_same_count;

    #[test]
    fn counts_are_compared_as_far_as_they_are_known() {
        let fits = |from: &'static [Option<usize>], to: &'static [Option<usize>]| {
            let outcome = std::panic::catch_unwind(|| assert_same_count(Some(from), Some(to)));
            outcome.map_err(|error| error.downcast_ref::<String>().cloned().unwrap_or_default())
        };
        assert_eq!(fits(&[Some(2), Some(3)], &[Some(6)]), Ok(()));
        assert_eq!(fits(&[Some(2), Some(3)], &[None, Some(3)]), Ok(()));
        assert_eq!(fits(&[Some(2), None], &[Some(5)]), Ok(()));
        assert_eq!(fits(&[Some(2), Some(0)], &[Some(0), Some(7)]), Ok(()));
        assert_eq!(fits(&[], &[Some(1)]), Ok(()));
        assert_eq!(fits(&[Some(0)], &[None, Some(3)]), Ok(()));
        assert_eq!(fits(&[Some(2), None], &[None, None]), Ok(()));
        let refused = |text: &str| Err(text.to_owned());
        assert_eq!(fits(&[Some(2), Some(3)], &[Some(4), Some(2)]), refused("shape '[4, 2]' is invalid for input of size 6"));
        assert_eq!(
            fits(&[Some(60000), Some(784)], &[None, Some(1009)]),
            refused("shape '[_, 1009]' is invalid for input of size 47040000")
        );
        assert_eq!(fits(&[Some(0)], &[None, Some(0)]), refused("shape '[_, 0]' is invalid for input of size 0"));
        assert!(fits(&[Some(6)], &[None, None]).is_err(), "two sizes to be found");
    }
}
