//! Programs with several results: one pass that writes all of them, where they are alike and one device computes all; else one pass each.

use smallvec::SmallVec;

use super::{MOST_OPERANDS, Program, ProgramCall};
use crate::device::DeviceType;
use crate::error::Result;
use crate::kernels::block::Threads;
use crate::plan::{Pass, Target};
use crate::raw::RawTensor;

impl ProgramCall<'_> {
    /// All results, in new tensors: in one pass, where they are alike and one device computes all.
    pub(crate) fn new_results(&self) -> Result<Vec<RawTensor>> {
        let device = self
            .device(None)
            .filter(|device| device.kind() == DeviceType::Cpu || self.operands.len() + self.program.more.len() <= MOST_OPERANDS);
        if let (Some(device), Some(decided)) = (device, self.decide()?)
            && let Some(more) = &decided.more
        {
            let new = |step: usize| RawTensor::empty(&decided.sizes, &decided.strides, decided.steps[step].result, device);
            let further = more.iter().map(|&step| Ok((step, new(step)?))).collect::<Result<SmallVec<[(usize, RawTensor); 2]>>>()?;
            let last = new(decided.steps.len() - 1)?;
            if !decided.sizes.contains(&0) {
                let operands = self.read(&decided);
                let steps = &decided.steps;
                Pass {
                    steps,
                    whole: None,
                    operands: &operands,
                    relations: &[],
                    output: &last,
                    more: &further,
                    flat: false,
                    threads: Threads::Many,
                }
                .run()?;
            }
            return Ok(further.into_iter().map(|(_, tensor)| tensor).chain([last]).collect());
        }
        let alone = |last: usize| {
            let program = Program { steps: self.program.steps[..=last].to_vec(), more: SmallVec::new() };
            ProgramCall { program: &program, ..*self }.new_result(Target::New)
        };
        self.program.more.iter().copied().chain([self.program.steps.len() - 1]).map(alone).collect()
    }
}
