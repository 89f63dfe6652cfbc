use latten::prelude::*;

fn main() {
    let counts = tensor![1, 2, 3];
    let _ = counts.to_dtype::<f32>();
}
