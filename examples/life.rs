//! Conway's Life on a board without edges: a glider comes back after 80 steps, 20 fields further each way, which is where it began.

use latten::prelude::*;

const SIZE: usize = 20;
type Board = Tensor<bool, shape![SIZE, SIZE]>;

/// How many of the eight neighbours live.
fn neighbours(board: &Board) -> Result<Tensor<u8, shape![SIZE, SIZE]>> {
    let cells = board.to::<u8>();
    let mut count = Tensor::zeros();
    for down in -1..=1 {
        for right in -1..=1 {
            if (down, right) != (0, 0) {
                count += cells.roll([down, right], [0, 1])?;
            }
        }
    }
    Ok(count)
}

fn step(board: &Board) -> Result<Board> {
    let count = neighbours(board)?;
    Ok(count.eq(3) | (board & count.eq(2)))
}

fn main() -> Result<()> {
    let mut board = Board::zeros();
    for (row, column) in [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)] {
        board.set([row, column], true)?;
    }
    let start = board.clone();
    for _ in 0..4 * SIZE {
        board = step(&board)?;
    }
    for row in &board {
        let line: String = row.to_vec().iter().map(|lives| if *lives { '#' } else { '.' }).collect();
        println!("{line}");
    }
    assert_eq!(board.sum().item(), 5);
    assert!(board.equal(&start), "the glider is where it began");
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_glider_comes_back() -> latten::Result<()> {
        super::main()
    }
}
