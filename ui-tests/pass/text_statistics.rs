//! Letters of a text: how often each stands, which follow each other, and how much one says.
use latten::Accumulate;
use latten::prelude::*;

pub(crate) fn main() -> latten::Result<()> {
    let text = "the quick brown fox jumps over the lazy dog and then the dog sleeps";
    let letters: Vec<i64> = text.bytes().filter(u8::is_ascii_lowercase).map(|b| (b - b'a') as i64).collect();
    let letters = Tensor::from(letters);
    let mut counts = Tensor::<i64>::zeros([26])?;
    counts.index_put_with_(&letters, 1, Accumulate::Yes)?;
    assert_eq!(counts.sum().item(), letters.numel() as i64);
    let (most, places) = counts.topk(3, 0)?;
    let names: String = places.to_vec().iter().map(|place| (b'a' + *place as u8) as char).collect();
    assert_eq!((names.chars().next(), most.get([0])?), (Some('e'), 7));
    let shares = counts.double() / letters.numel() as f64;
    let seen = shares.masked_select(&shares.gt(0));
    let entropy = -(&seen * seen.log2()).sum().item();
    assert!(entropy > 3.5 && entropy < 4.8, "{entropy}");
    let mut pairs = Tensor::<i64>::zeros([26, 26])?;
    let (first, second) = (letters.narrow(0, 0, letters.len() - 1)?, letters.narrow(0, 1, letters.len() - 1)?);
    pairs.index_put_with_((&first, &second), 1, Accumulate::Yes)?;
    let index = |letter: u8| (letter - b'a') as usize;
    assert_eq!(pairs.get([index(b't'), index(b'h')])?, 4);
    Ok(())
}
