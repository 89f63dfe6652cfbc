//! What the examples give on the meta device: the sizes, strides and dtypes that they give on the host.

use std::collections::BTreeSet;

use latten::prelude::*;

use super::calls::{Layout, every_example, leaf, on};

/// Of these the data decide sizes, or the example copies them to the host.
const BY_DATA: &[&str] = &[
    "_ctc_loss",
    "coalesce",
    "combinations",
    "cpu",
    "ctc_loss",
    "index",
    "linalg.lstsq",
    "masked.log_softmax",
    "masked_select",
    "repeat_interleave",
    "sparse mul",
    "to_sparse",
    "values",
];

fn outline(tensor: &DynTensor) -> String {
    let strides: Vec<_> = tensor.sizes().iter().zip(tensor.strides()).map(|(&size, &stride)| if size > 1 { stride } else { 0 }).collect();
    format!("{} {:?} {strides:?}", tensor.dtype(), tensor.sizes())
}

#[test]
fn meta_tensors_are_told_what_host_tensors_become() -> Result<()> {
    let (mut wrong, mut by_data, mut right) = (Vec::new(), BTreeSet::new(), 0);
    for (name, sizes, function) in every_example() {
        for dtype in [DType::F64, DType::C128] {
            for layout in [Layout::Plain, Layout::Strided] {
                let inputs: Vec<DynTensor> =
                    sizes.iter().enumerate().map(|(seed, sizes)| leaf(sizes, dtype, layout, seed).detach()).collect();
                let Ok(on_host) = function(&inputs) else { continue };
                let on_host: Vec<String> = on_host.iter().map(outline).collect();
                let metas = inputs.iter().map(|input| input.to_device("meta")).collect::<Result<Vec<_>>>()?;
                let outcome = on("meta", || function(&metas));
                let found =
                    outcome.map(|found| (found.iter().all(|tensor| tensor.is_meta()), found.iter().map(outline).collect::<Vec<_>>()));
                match found {
                    Ok((true, found)) if found == on_host => right += 1,
                    _ if BY_DATA.contains(&name) => drop(by_data.insert(name)),
                    other => wrong.push(format!("{name}: {other:?} where the host has {on_host:?}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!((by_data.into_iter().collect::<Vec<_>>(), right > 2_000), (BY_DATA.to_vec(), true), "{right} are right");
    Ok(())
}
