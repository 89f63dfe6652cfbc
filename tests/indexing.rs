//! Indexing by tensors, sorting and their like as PyTorch answers: `golden/indexing.txt`, which `golden/indexing.py` recorded; each call on
//! three layouts of the first tensor, and after an error in place nothing has changed. Then what no recording shows: types, selections
//! among ranges, memory that is shared, many elements by many threads.

mod recorded;
#[path = "indexing/rows.rs"]
mod rows;

use std::collections::HashMap;

use latten::indexing::{Accumulate, Extreme, IncludeSelf, Order, Padding, ScatterReduce};
use latten::prelude::*;
use latten::tensor::RepeatsArgument;
use latten::{DType, MemoryFormat, RawTensor, Result, Scalar, args, call, embedding, indexing, set_num_threads};
use recorded::{Written, call_and_answer, fault, layouts, report};

/// Elements again and again, along a dimension or as one row.
fn repeated(x: &DynTensor, repeats: impl RepeatsArgument, dim: Option<isize>) -> Result<DynTensor> {
    match dim {
        Some(dim) => x.try_repeat_interleave_with(repeats, dim),
        None => x.try_repeat_interleave(repeats).map(|row| row.as_shape()),
    }
}

const GOLDEN: &str = include_str!("golden/indexing.txt");

type Inputs = HashMap<&'static str, Written>;

/// The arguments of a call after its first one.
struct Call {
    op: &'static str,
    positional: Vec<&'static str>,
    named: HashMap<&'static str, &'static str>,
}

impl Call {
    fn int(&self, at: usize) -> isize {
        self.positional[at].parse().unwrap_or_else(|_| panic!("{} is no integer", self.positional[at]))
    }

    fn dim(&self) -> Option<isize> {
        self.named.get("dim").map(|dim| dim.parse().expect("a dimension"))
    }

    fn is(&self, name: &str, otherwise: bool) -> bool {
        self.named.get(name).map_or(otherwise, |word| *word == "yes")
    }

    fn list(&self, at: usize) -> impl Iterator<Item = &'static str> {
        self.positional[at].trim_matches(['[', ']']).split(',').filter(|word| !word.is_empty())
    }

    fn ints(&self, at: usize) -> Vec<isize> {
        self.list(at).map(|word| word.parse().expect("an integer")).collect()
    }

    fn order(&self) -> Order {
        if self.is("descending", false) { Order::Descending } else { Order::Ascending }
    }

    fn padding(&self) -> Result<Padding> {
        let value = self.named.get("value").map(|value| Scalar::Float(value.parse().expect("a number")));
        Padding::parse(self.named.get("mode").unwrap_or(&"constant"), value)
    }
}

fn number(word: &str) -> Option<Scalar> {
    word.parse::<i64>().map(Scalar::Int).or_else(|_| word.parse::<f64>().map(Scalar::Float)).ok()
}

/// What a call gives. A method in place gives its tensor, whatever became of it.
fn run(call: &Call, x: &mut DynTensor, inputs: &Inputs) -> Result<Vec<RawTensor>> {
    let tensor = |at: usize| inputs[call.positional[at]].tensor();
    let one = |tensor: DynTensor| Ok(vec![tensor.raw().clone()]);
    let flat = |unique: indexing::RawUnique| Ok(vec![unique.values, unique.inverse, unique.counts]);
    match call.op {
        "gather" => one(x.gather(call.int(0), &tensor(1))?),
        "take" => one(x.try_take(&tensor(0))?),
        "index_select" => one(x.index_select(call.int(0), &tensor(1))?),
        "embedding" => one(x.try_embedding(&tensor(0))?),
        "index" | "index_put_" => {
            let tensors: Vec<Option<DynTensor>> = call.list(0).map(|word| (word != "_").then(|| inputs[word].tensor())).collect();
            let indices: Vec<Option<&RawTensor>> = tensors.iter().map(|tensor| tensor.as_ref().map(DynTensor::raw)).collect();
            if call.op == "index" {
                return Ok(vec![indexing::index(x.raw(), &indices)?]);
            }
            let accumulate = if call.is("accumulate", false) { Accumulate::Yes } else { Accumulate::No };
            indexing::index_put_in_place(x.raw(), &indices, tensor(1).raw(), accumulate)?;
            one(x.alias())
        }
        "scatter" => match number(call.positional[2]) {
            Some(value) => one(x.scatter_value(call.int(0), &tensor(1), value)?),
            None => one(x.scatter(call.int(0), &tensor(1), &tensor(2))?),
        },
        "scatter_" => match number(call.positional[2]) {
            Some(value) => one(x.scatter_value_(call.int(0), &tensor(1), value)?.alias()),
            None => one(x.scatter_(call.int(0), &tensor(1), &tensor(2))?.alias()),
        },
        "scatter_add" => one(x.scatter_add(call.int(0), &tensor(1), &tensor(2))?),
        "scatter_add_" => one(x.scatter_add_(call.int(0), &tensor(1), &tensor(2))?.alias()),
        "scatter_reduce" => {
            let own = if call.is("include_self", true) { IncludeSelf::Yes } else { IncludeSelf::No };
            one(x.scatter_reduce_with(call.int(0), &tensor(1), &tensor(2), ScatterReduce::parse(call.named["reduce"])?, own)?)
        }
        "masked_fill" => match number(call.positional[1]) {
            Some(value) => Ok(vec![indexing::masked_fill(x.raw(), tensor(0).raw(), value.into())?]),
            None => one(x.try_masked_fill(&tensor(0), tensor(1))?),
        },
        "masked_fill_" => {
            let value = number(call.positional[1]).expect("a number");
            indexing::masked_fill_in_place(x.raw(), tensor(0).raw(), value.into())?;
            one(x.alias())
        }
        "masked_select" => one(x.try_masked_select(&tensor(0))?.erase()),
        "nonzero" => one(x.try_nonzero()?.erase()),
        "argwhere" => one(x.try_argwhere()?.erase()),
        "sort" => x.sort_with(call.int(0), call.order()).map(|(values, places)| vec![values.raw().clone(), places.raw().clone()]),
        "argsort" => one(x.argsort_with(call.int(0), call.order())?.erase()),
        "topk" => {
            let end = if call.is("largest", true) { Extreme::Largest } else { Extreme::Smallest };
            x.topk_with(call.int(0), call.int(1), end, true).map(|(values, places)| vec![values.raw().clone(), places.raw().clone()])
        }
        "unique_all" => flat(indexing::unique(x.raw())?),
        "unique_consecutive" => flat(indexing::unique_consecutive(x.raw())?),
        "unique_dim" => flat(indexing::unique_dim(x.raw(), call.int(0))?),
        "tril" => one(x.try_tril_with(call.int(0))?),
        "triu" => one(x.try_triu_with(call.int(0))?),
        "tril_" => one(x.tril_with_(call.int(0))?.alias()),
        "triu_" => one(x.triu_with_(call.int(0))?.alias()),
        "diag" => one(x.try_diag_with(call.int(0))?),
        "fill_diagonal_" => {
            let value = number(call.positional[0]).expect("a number");
            one(x.fill_diagonal_with_(value, call.is("wrap", false))?.alias())
        }
        "pad" => one(x.pad_with(call.ints(0), call.padding()?)?),
        "repeat_interleave" => match call.positional[0].parse::<isize>() {
            Ok(count) => one(repeated(x, count, call.dim())?),
            Err(_) => one(repeated(x, &tensor(0), call.dim())?),
        },
        "one_hot" => one(x.one_hot_with(call.positional.first().map_or(-1, |count| count.parse::<isize>().expect("a count")))?.erase()),
        other => panic!("no operation {other}"),
    }
}

#[test]
fn calls_give_what_pytorch_gave() {
    let mut inputs = Inputs::new();
    let (mut failures, mut compared) = (Vec::new(), 0);
    for line in GOLDEN.lines().filter(|line| !line.starts_with('#')) {
        if let Some(input) = line.strip_prefix("input ") {
            let (name, written) = input.split_once(' ').expect("a name");
            inputs.insert(name, Written::parse(written));
            continue;
        }
        let (text, answer) = call_and_answer(line);
        let mut words = text.split_whitespace();
        let (op, first) = (words.next().expect("an operation"), words.next().expect("a tensor"));
        let (named, positional): (Vec<_>, Vec<_>) = words.partition(|word| word.contains('='));
        let call = Call { op, positional, named: named.into_iter().filter_map(|word| word.split_once('=')).collect() };
        for (layout, mut x) in layouts(&inputs[first].tensor()) {
            let before = x.clone();
            // The order in memory is looked at by the replayer.
            let found = run(&call, &mut x, &inputs)
                .and_then(|results| results.iter().map(|result| result.clone_as(MemoryFormat::Contiguous)).collect::<Result<Vec<_>>>());
            compared += 1;
            if let Some(fault) = fault(&found, &answer) {
                failures.push(format!("{text} ({layout}): {fault}"));
            }
            let writes = op.ends_with('_') && found.is_ok();
            if !writes && !x.erase().equal(&before) && !first.starts_with("nan") {
                failures.push(format!("{text} ({layout}) has changed its tensor"));
            }
        }
    }
    report(&failures, compared);
    assert!(compared > 1500, "only {compared} calls were compared");
}

#[test]
fn types_know_what_comes_out() -> Result<()> {
    let x = Tensor::from([[3.5_f32, 1.0, 2.0], [0.0, 4.0, -1.0]]);
    let places = tensor!([[2_i64], [0]]);
    let found: Tensor<f32, shape![2, 1]> = x.gather(1, &places)?;
    assert_eq!(found.to_vec(), [2.0, 0.0]);
    let rows: Tensor<f32, Rank<2>> = x.index_select(0, &Tensor::from([1_i32]))?;
    assert_eq!(rows.to_vec(), [0.0, 4.0, -1.0]);
    let (sorted, order) = x.sort(-1)?;
    let (sorted, order): (Tensor<f32, shape![2, 3]>, Tensor<i64, _>) = (sorted, order);
    assert_eq!((sorted.to_vec(), order.to_vec()), (vec![1.0, 2.0, 3.5, -1.0, 0.0, 4.0], vec![1, 2, 0, 2, 0, 1]));
    let positive: Tensor<f32, Rank<1>> = x.masked_select(&x.gt(0));
    assert_eq!(positive.to_vec(), [3.5, 1.0, 2.0, 4.0]);
    let filled: Tensor<f32, shape![2, 3]> = x.masked_fill(&Tensor::from([true, false, false]), 9);
    assert_eq!(filled.to_vec(), [9.0, 1.0, 2.0, 9.0, 4.0, -1.0]);
    let coordinates: Tensor<i64, Rank<2>> = x.gt(3).nonzero();
    assert_eq!(coordinates.to_vec(), [0, 0, 1, 1]);
    let hot: Tensor<i64, shape![2, 1, _]> = places.one_hot();
    assert_eq!(hot.to_vec(), [0, 0, 1, 1, 0, 0]);
    let words: Tensor<f32, shape![2, 1, 2]> = embedding(&places, &x.t().contiguous());
    assert_eq!(words.to_vec(), [2.0, -1.0, 3.5, 0.0]);
    Ok(())
}

/// Python's text for an index, the index here, and what that gives.
type Chosen<'a> = (&'a str, Result<Tensor<i64>>, &'a [usize], &'a [i64]);

/// PyTorch's answers for `arange(24).reshape(2, 3, 4)`.
#[test]
fn tensors_stand_among_ranges_integers_and_new_axes() -> Result<()> {
    let x = Tensor::<i64>::arange(24)?.view(shape![2, 3, 4]);
    let (i, mask, truth) = (Tensor::from([2_i64, 0]), Tensor::from([true, false, true]), Tensor::<bool, ()>::full(true));
    let one = Tensor::<i64, ()>::full(1);
    let rows: [Chosen<'_>; 12] = [
        ("x[:, i]", x.index((.., &i)), &[2, 2, 4], &[8, 9, 10, 11, 0, 1, 2, 3, 20, 21, 22, 23, 12, 13, 14, 15]),
        ("x[..., i]", x.index((Ellipsis, &i)), &[2, 3, 2], &[2, 0, 6, 4, 10, 8, 14, 12, 18, 16, 22, 20]),
        ("x[1, :, i]", x.index((1, .., &i)), &[3, 2], &[14, 12, 18, 16, 22, 20]),
        ("x[-1, mask, 1:3]", x.index((-1, &mask, 1..3)), &[2, 2], &[13, 14, 21, 22]),
        ("x[:, mask, i]", x.index((.., &mask, &i)), &[2, 2], &[2, 8, 14, 20]),
        ("x[[1, 0], :, i]", x.index((&Tensor::from([1_i64, 0]), .., &i)), &[2, 3], &[14, 18, 22, 0, 4, 8]),
        ("x[0, None, i, -1]", x.index((0, NewAxis, &i, -1)), &[1, 2], &[11, 3]),
        ("x[x > 21]", x.index(x.gt(21)), &[2], &[22, 23]),
        ("x[0, 0, i]", x.index((0, 0, &i)), &[2], &[2, 0]),
        ("x[tensor(1), mask, 0]", x.index((&one, &mask, 0)), &[2], &[12, 20]),
        ("x[tensor(True), 0, 0, 2:]", x.index((&truth, 0, 0, 2..)), &[1, 2], &[2, 3]),
        ("x[1, 2]", x.index((1, 2)), &[4], &[20, 21, 22, 23]),
    ];
    for (text, found, sizes, elements) in rows {
        let found = found?;
        assert_eq!((found.sizes(), found.to_vec()), (sizes, elements.to_vec()), "{text}");
    }
    for (text, found, message) in [
        ("too many", x.index((&i, &i, &i, &i)), "too many indices for tensor of dimension 3"),
        ("far", x.index((.., &Tensor::from([0_i64, 3]))), "index 3 is out of bounds for dimension 0 with size 3"),
        ("two", x.index((Ellipsis, Ellipsis, &i)), "an index can only have a single ellipsis ('...')"),
        (
            "apart",
            x.index((&Tensor::from([0_i64, 1, 0]), &i)),
            "shape mismatch: indexing tensors could not be broadcast together with shapes [3], [2]",
        ),
    ] {
        assert_eq!(found.map_err(|error| error.message().to_owned()).map(|_| ()), Err(message.to_owned()), "{text}");
    }
    Ok(())
}

#[test]
fn values_are_put_where_a_selection_reads() -> Result<()> {
    let mut x = Tensor::<i64>::zeros([2, 3])?;
    let i = Tensor::from([2_i64, 0]);
    x.index_put_((1, &i), Tensor::from([7_i64, 8]))?;
    x.index_put_with_((.., &Tensor::from([1_i64, 1])), 1, Accumulate::Yes)?;
    assert_eq!(x.to_vec(), [0, 2, 0, 8, 2, 7]);
    x.index_put_((0, 1..), 5)?;
    x.index_put_(x.eq(8), -1)?;
    assert_eq!(x.to_vec(), [0, 5, 5, -1, 2, 7]);
    let bytes = &mut Tensor::from([1_u8, 2]);
    let refused = bytes.index_put_(&i, 300).map(|_| ()).expect_err("it doesn't fit");
    assert_eq!(refused.message(), "value cannot be converted to type uint8_t without overflow");
    Ok(())
}

#[test]
fn memory_that_is_shared_is_copied_or_refused() -> Result<()> {
    let refusal = "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please \
                   clone() the tensor before performing the operation.";
    let message = |outcome: Result<()>| outcome.map_err(|error| error.message().to_owned());
    let x = Tensor::<i64>::arange(6)?.view(shape![2, 3]);
    let index = Tensor::from([[0_i64, 1, 0]]);
    assert_eq!(message(x.alias().scatter_(0, &index, &x).map(drop)), Err(refusal.to_owned()));
    assert_eq!(message(x.alias().scatter_add_(0, &x.view([2, 3])?, &x.clone()).map(drop)), Err(refusal.to_owned()));
    let mut repeated = Tensor::<i64>::zeros([1])?.expand([3])?;
    let written = message(repeated.scatter_(0, &Tensor::from([0_i64]), &Tensor::from([1_i64])).map(drop));
    assert!(written.is_err_and(|text| text.contains("more than one element of the written-to tensor")));
    // Every second element isn't dense: PyTorch doesn't look, and the values are what they were before.
    let y = Tensor::<i64>::arange(8)?;
    let (mut even, odd) = (y.slice_dim(0, step(.., 2))?, y.slice_dim(0, step(1.., 2))?);
    even.index_put_(Tensor::from([3_i64, 2, 1, 0]), &odd)?;
    assert_eq!(y.to_vec(), [7, 1, 5, 3, 3, 5, 1, 7]);
    let mut all = y.slice_dim(0, step(.., 2))?;
    all.index_put_(Tensor::from([1_i64, 2, 3]), &all.narrow(0, 0, 3)?)?;
    assert_eq!(y.to_vec(), [7, 1, 7, 3, 5, 5, 3, 7]);
    Ok(())
}

/// Meta tensors know shapes; storages may be slices of others at any byte, and may shrink.
#[test]
fn tensors_of_every_kind_are_indexed() -> Result<()> {
    let meta = DynTensor::zeros([4, 3], (DType::F16, "meta"))?;
    let places = Tensor::from([[2_i64, 0]]).erase();
    let row = Tensor::from([3_i64, 0]).erase();
    let sizes = |tensor: Result<DynTensor>| tensor.map(|tensor| (tensor.sizes().to_vec(), tensor.device().to_string()));
    for (text, found, expected) in [
        ("gather", sizes(meta.gather(1, &places)), vec![1, 2]),
        ("index_select", sizes(meta.index_select(0, &row)), vec![2, 3]),
        ("index", sizes(meta.index((&row, 0))), vec![2]),
        ("masked_fill", sizes(meta.try_masked_fill(&Tensor::from([true, false, true]), 1)), vec![4, 3]),
        ("sort", sizes(meta.sort(0).map(|(values, _)| values)), vec![4, 3]),
        ("topk", sizes(meta.topk(2, 0).map(|(values, _)| values)), vec![2, 3]),
        ("scatter", sizes(meta.scatter_value(1, &places, 1)), vec![4, 3]),
        ("tril", sizes(meta.try_tril()), vec![4, 3]),
        ("pad", sizes(meta.pad_with([1, 1], Padding::Replicate).or_else(|_| meta.pad([1, 1]))), vec![4, 5]),
    ] {
        assert_eq!(found, Ok((expected, "meta".to_owned())), "{text}");
    }
    for refused in [meta.try_nonzero().map(drop), meta.try_unique().map(drop), meta.try_masked_select(&meta.gt(0)).map(drop)] {
        assert_eq!(refused.map_err(|error| error.kind()), Err(ErrorKind::NotImplemented));
    }

    let bytes = latten::storage::UntypedStorage::from_bytes(&(0..33).collect::<Vec<u8>>())?;
    let odd = latten::storage::TypedStorage::<i32>::of(bytes.slice(1..33)?);
    let mut x = DynTensor::zeros([0], DType::I32)?;
    x.set_(&odd)?;
    let third = x.to_scalars()?[3];
    assert_eq!(x.take(&row).to_scalars()?[0], third);
    x.scatter_value_(0, &row, 7)?;
    x.index_put_with_(Tensor::from([-1_i64]), &DynTensor::full([1], 9, DType::I32)?, Accumulate::Yes)?;
    assert_eq!((x.to_scalars()?[0], x.to_scalars()?[3]), (Scalar::Int(7), Scalar::Int(7)));
    assert_eq!(x.sort_with(0, Order::Descending)?.0.to_scalars()?.len(), 8);

    let y = Tensor::<i64>::arange(8)?;
    y.untyped_storage().resize_(8)?;
    for refused in
        [y.try_take(&row).map(drop), y.index(&row).map(drop), y.alias().scatter_value_(0, &row, 1).map(drop), y.sort(0).map(drop)]
    {
        assert!(refused.is_err());
    }
    Ok(())
}

/// Large tensors are worked on in parts; each is compared with the same done one by one.
#[test]
fn many_elements_by_any_number_of_threads() -> Result<()> {
    let n = 300_000_i64;
    let scrambled: Vec<i64> = (0..n).map(|i| i * 7919 % n).collect();
    let places = Tensor::from_vec(scrambled.clone(), [n])?;
    let x = Tensor::<f32>::arange(n)?;
    let table = Tensor::<i32>::arange(4 * n)?.view([n, 4])?;
    let expected: Vec<f32> = scrambled.iter().map(|&at| at as f32).collect();
    let expected_rows: Vec<i32> = scrambled.iter().flat_map(|&at| (0..4).map(move |j| (4 * at + j) as i32)).collect();
    for threads in [1, 4] {
        set_num_threads(threads);
        assert!(x.gather(0, &places)?.to_vec() == expected, "gather");
        assert!(x.take(&places).to_vec() == expected, "take");
        assert!(x.index(&places)?.to_vec() == expected, "index");
        assert!(embedding(&places, &table).to_vec() == expected_rows, "embedding");
        let mut back = x.clone();
        back.scatter_(0, &places, &Tensor::from_vec(expected.clone(), [n])?)?;
        assert!(back.equal(&x), "scatter_");
        let odd = (&places % 2).eq(1);
        let chosen: Vec<i64> = scrambled.iter().copied().filter(|at| at % 2 == 1).collect();
        assert!(places.masked_select(&odd).to_vec() == chosen, "masked_select");
        let there: Vec<i64> = (0..n).filter(|&i| scrambled[i as usize] % 2 == 1).collect();
        assert!(odd.nonzero().to_vec() == there, "nonzero");
        let (sorted, order) = places.sort(0)?;
        assert!(sorted.to_vec().iter().copied().eq(0..n), "sort");
        assert!(places.gather(0, &order)?.equal(&sorted), "places of sort");
        assert!(
            x.view([300, 1000])?
                .tril_with(-5)
                .to_vec()
                .iter()
                .enumerate()
                .all(|(i, &x)| x == if i % 1000 + 5 <= i / 1000 { i as f32 } else { 0.0 })
        );
        let far = Tensor::from_vec(scrambled.iter().map(|&at| if at == 77 { n } else { at }).collect(), [n])?;
        let refused = x.gather(0, &far).map(drop).expect_err("it is out of range");
        assert_eq!(refused.message(), format!("index {n} is out of bounds for dimension 0 with size {n}"));
    }
    Ok(())
}

#[test]
fn long_rows_of_few_values_are_sorted_in_both_orders() -> Result<()> {
    let n = 100_000_i64;
    for far in [1, 1 << 40] {
        let values: Vec<i64> = (0..n).map(|i| (i * 7919 % 13 - 6) * far).collect();
        let x = Tensor::from_vec(values.clone(), [n])?;
        for (order, sign) in [(Order::Ascending, 1), (Order::Descending, -1)] {
            let mut expected: Vec<i64> = (0..n).collect();
            expected.sort_by_key(|&at| sign * values[at as usize]);
            let (sorted, places) = x.sort_with(0, order)?;
            assert!(places.to_vec() == expected, "places, {order:?}");
            assert!(sorted.to_vec().iter().copied().eq(expected.iter().map(|&at| values[at as usize])), "{order:?}");
            let (sorted, _) = Tensor::from_vec(values.iter().map(|&value| (value / far) as i32).collect(), [n])?.sort_with(0, order)?;
            assert!(sorted.to_vec().iter().copied().eq(expected.iter().map(|&at| (values[at as usize] / far) as i32)), "i32, {order:?}");
        }
    }
    Ok(())
}

/// PyTorch's search of a number in a row: where it looks decides, where the row isn't in order or has NaNs.
fn looked_up(row: &[f64], number: f64, right: bool) -> usize {
    let (mut start, mut end) = (0, row.len());
    while start < end {
        let middle = start + (end - start) / 2;
        let reached = if right { row[middle] > number } else { row[middle] >= number };
        if reached { end = middle } else { start = middle + 1 }
    }
    start
}

#[test]
fn numbers_are_found_where_pytorch_finds_them() -> Result<()> {
    let number = |at: usize, seed: usize| ((at * 7919 + seed * 104_729) % 61) as f64 / 4.0 - 5.0;
    for (size, each) in [(0, 5), (1, 9), (2, 17), (7, 8), (64, 1), (65, 3000), (1000, 20_000)] {
        for (dtype, is_float) in [(DType::F32, true), (DType::F64, true), (DType::BF16, true), (DType::I64, false), (DType::U8, false)] {
            for (kind, rows) in [("in order", 1), ("in order, with NaNs", 1), ("in no order", 1), ("in rows", 3)] {
                let made = |count: usize, seed: usize| {
                    let numbers = (0..count).map(|at| if is_float { number(at, seed) } else { (number(at, seed) + 5.0).floor() });
                    numbers.collect::<Vec<f64>>()
                };
                let (mut bounds, mut values) = (made(rows * size, size), made(rows * each, 3));
                if kind != "in no order" {
                    bounds.chunks_mut(size.max(1)).for_each(|row| row.sort_by(f64::total_cmp));
                }
                if kind == "in order, with NaNs" && is_float {
                    bounds.iter_mut().rev().take(size / 3).for_each(|bound| *bound = f64::NAN);
                    values.iter_mut().step_by(4).for_each(|value| *value = f64::NAN);
                }
                let tensor = |numbers: &[f64], size: usize| {
                    let sizes = if rows == 1 { vec![size] } else { vec![rows, size] };
                    RawTensor::from_vec(numbers.to_vec(), &sizes)?.to_dtype(dtype).map(DynTensor::from)
                };
                let (own, looked_for) = (tensor(&bounds, size)?, tensor(&values, each)?);
                for right in [false, true] {
                    let found = call("searchsorted", args![&own, &looked_for, right = right])?.tensor()?;
                    let expected: Vec<Scalar> = (0..rows * each)
                        .map(|at| Scalar::Int(looked_up(&bounds[at / each * size..][..size], values[at], right) as i64))
                        .collect();
                    assert_eq!(found.to_scalars()?, expected, "{size} of {dtype}, {kind}, right: {right}");
                }
            }
        }
    }
    Ok(())
}
