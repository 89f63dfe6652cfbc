// Half a spectrum tells the other half of real numbers only.
use latten::fft;
use latten::prelude::*;

fn main() {
    let x = tensor![1 + 2i, 3];
    let _ = fft::rfft(&x);
}
