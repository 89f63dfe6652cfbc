//! How operands get into blocks: by which moves, and which of them need none, since their room is full of the element that stands for a row.

use latten_spec::DType;
use smallvec::SmallVec;

use super::{Input, OutputSharing, Section};
use crate::error::Result;
use crate::kernels::cut::Cut;
use crate::kernels::moves::{Moves, conversion, moves};
use crate::kernels::run::OPERANDS;
use crate::kernels::transfer::places;
use crate::kernels::turn::turn;

/// How an operand gets into a block.
#[derive(Debug)]
pub(super) struct Load {
    /// None where the kernel reads the elements where they are.
    pub(super) moves: Moves,
    pub(super) constant: bool,
    /// Whether the elements of each block lie next to each other.
    pub(super) dense: bool,
    /// Whether one element stands for all of a row.
    pub(super) still: bool,
    /// Whether a single element is read where it is.
    pub(super) single: bool,
}

/// How an operand gets into the blocks of a cut.
pub(super) fn load(input: &Input<'_>, sizes: &[usize], cut: Cut) -> Result<Load> {
    let Input { lane, through, to, .. } = input;
    let mut moves = moves(&[lane.dtype, *through, *to])?;
    let (turns, size) = (cut.turns(lane), lane.dtype.itemsize());
    let dense = !turns && !lane.is_places() && cut.keeps_dense(sizes, lane);
    let in_place = lane.is_plain() && cut.keeps_dense(sizes, lane);
    let single = lane.is_plain() && moves.is_empty() && input.sharing == OutputSharing::No;
    if lane.is_places() {
        moves.insert(0, (places, lane.dtype));
    }
    // A turn moves bytes as they are, and those of a bool may be any.
    if moves.is_empty() && !(in_place || turns && *to != DType::Bool) {
        moves.push((conversion(*to, *to)?, *to));
    }
    if turns {
        moves.insert(0, (turn(size), lane.dtype));
    }
    Ok(Load { moves, constant: lane.is_constant(), dense, still: lane.row_steps()[0] == 0, single })
}

/// For each operand the first element of the block that its room holds, and the columns and rows of that.
pub(super) struct Repeats(SmallVec<[(*const u8, [usize; 2]); OPERANDS]>);

impl Repeats {
    /// Of so many operands, whose rooms hold nothing.
    pub(super) fn of(operands: usize) -> Self {
        Self(SmallVec::from_elem((std::ptr::null(), [0, 0]), operands))
    }

    /// Whether an operand's room holds the block that is to be loaded; if not, it does from now on.
    pub(super) fn hold(&mut self, operand: usize, input: &Input<'_>, block: Section<'_>) -> bool {
        let Section::Tile { counts: counts @ [columns, rows], .. } = block else { return false };
        let [along, down] = input.lane.row_steps().map(|step| step == 0);
        // An element that the output writes to may be another one at the next block.
        if !(along && rows == 1 || down) || input.sharing == OutputSharing::WithOutput {
            return false;
        }
        let element = block.address(&input.lane).cast_const();
        let (first, [has_columns, has_rows]) = self.0[operand];
        // What is there of a row, and how many of the rows that are all the same.
        let fits = columns == has_columns || along && rows == 1 && has_rows == 1 && columns <= has_columns;
        let holds = first == element && fits && rows <= has_rows;
        if !holds {
            self.0[operand] = (element, counts);
        }
        holds
    }
}
