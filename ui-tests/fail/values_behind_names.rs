// As in Python, arguments by place come first.
use latten::prelude::*;

fn main() {
    let x = tensor![1.0, 2.0];
    let _ = call("sum", args![dim = 0, &x]);
}
