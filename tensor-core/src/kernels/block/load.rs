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
}

/// How an operand gets into the blocks of a cut.
pub(super) fn load(input: &Input<'_>, sizes: &[usize], cut: Cut) -> Result<Load> {
    let Input { lane, through, to, .. } = input;
    let mut moves = moves(&[lane.dtype, *through, *to])?;
    let (turns, size) = (cut.turns(lane), lane.dtype.itemsize());
    let dense = !turns && !lane.is_places() && cut.keeps_dense(sizes, lane);
    let in_place = lane.is_plain() && cut.keeps_dense(sizes, lane);
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
    Ok(Load { moves, constant: lane.is_constant(), dense })
}

/// For each operand the element of which its room is full, and how many times it is there.
pub(super) struct Repeats(SmallVec<[(*const u8, usize); OPERANDS]>);

impl Repeats {
    /// Of so many operands, whose rooms hold nothing.
    pub(super) fn of(operands: usize) -> Self {
        Self(SmallVec::from_elem((std::ptr::null(), 0), operands))
    }

    /// Whether an operand's room holds the block that is to be loaded; if not, it does from now on.
    pub(super) fn hold(&mut self, operand: usize, input: &Input<'_>, block: Section<'_>) -> bool {
        let is_row = matches!(block, Section::Tile { counts: [_, 1], .. });
        // An element that the output writes to may be another one at the next block.
        if !is_row || input.lane.row_steps()[0] != 0 || input.sharing == OutputSharing::WithOutput {
            return false;
        }
        let (element, times) = (block.address(&input.lane).cast_const(), block.len());
        let full = &mut self.0[operand];
        let holds = full.0 == element && full.1 >= times;
        if !holds {
            *full = (element, times);
        }
        holds
    }
}
