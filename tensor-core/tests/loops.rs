//! Every way through a loop gives the same numbers: blocks, tiles, runs, streamed stores, threads, pair kernels and in place.
//! What is compared with is the same operation on single elements.

use latten_core::device::Device;
use latten_core::elementwise::{Params, RawOperand, apply, apply_in_place, apply_out};
use latten_core::geometry::Geometry;
use latten_core::kernels::workers::set_num_threads;
use latten_core::layout::MemoryFormat;
use latten_core::raw::RawTensor;
use latten_core::storage::{TypedStorage, UntypedStorage};
use latten_spec::DType;
use latten_spec::lattice::promote_types;
use latten_spec::operation::Op;

/// Repeatable random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % end
    }
}

/// A tensor whose memory has another order of dimensions, gaps, and an odd offset.
fn tensor(random: &mut Random, sizes: &[usize], dtype: DType) -> RawTensor {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, random.below(i + 1));
    }
    let mut strides = vec![0; sizes.len()];
    let mut stride = 1;
    for &dim in &order {
        stride *= [1, 1, 1, 2][random.below(4)];
        strides[dim] = stride;
        stride *= sizes[dim];
    }
    let offset = random.below(3);
    let geometry = Geometry { sizes: sizes.into(), strides: strides.as_slice().into(), offset };
    let count = geometry.extent().expect("a small tensor").map_or(0, |(_, last)| last + 1);
    let numbers: Vec<f32> = (0..count).map(|_| random.below(2000) as f32 / 100.0 - 5.0).collect();
    let floats = flat(&numbers);
    let elements = floats.to_dtype(dtype).expect("a conversion");
    RawTensor::over(elements.storage().clone(), dtype, geometry).expect("as many elements as it reaches")
}

fn flat(numbers: &[f32]) -> RawTensor {
    let tensor = RawTensor::empty(&[numbers.len()], &[1], DType::F32, Device::CPU).expect("memory");
    let storage = TypedStorage::<f32>::of(tensor.storage().clone());
    storage.slice_mut().expect("an own storage").copy_from_slice(numbers);
    tensor
}

/// The bytes of the elements in row-major order.
fn bytes(tensor: &RawTensor) -> Vec<u8> {
    let dense = tensor.clone_as(MemoryFormat::Contiguous).expect("a copy");
    let storage: &UntypedStorage = dense.storage();
    TypedStorage::<u8>::of(storage.clone()).slice().expect("an own storage")[..dense.numel() * dense.dtype().itemsize()].to_vec()
}

/// The elements one by one, from a tensor that broadcasts to `sizes`.
fn element(tensor: &RawTensor, sizes: &[usize], place: usize) -> RawTensor {
    let mut offset = tensor.storage_offset();
    let mut rest = place;
    let lead = sizes.len() - tensor.rank();
    for dim in (0..sizes.len()).rev() {
        let at = rest % sizes[dim];
        rest /= sizes[dim];
        if dim >= lead && tensor.sizes()[dim - lead] != 1 {
            offset += at * tensor.strides()[dim - lead];
        }
    }
    tensor.as_strided(&[1], &[1], Some(offset.cast_signed())).expect("an element")
}

fn expected(op: Op, operands: &[&RawTensor], sizes: &[usize], dtype: DType) -> Vec<u8> {
    let mut all = Vec::new();
    for place in 0..sizes.iter().product() {
        let elements: Vec<RawTensor> = operands.iter().map(|operand| element(operand, sizes, place)).collect();
        let elements: Vec<RawOperand<'_>> = elements.iter().map(RawOperand::Tensor).collect();
        let one = apply(op, &elements, &Params::none()).expect("a result").to_dtype(dtype).expect("a conversion");
        all.extend(bytes(&one));
    }
    all
}

const SHAPES: [&[usize]; 9] = [&[], &[1], &[7], &[1500], &[40, 50], &[3, 200], &[200, 3], &[5, 4, 3, 2], &[9, 2, 40]];
const DTYPES: [DType; 13] = [
    DType::Bool,
    DType::U8,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::F16,
    DType::BF16,
    DType::F32,
    DType::F64,
    DType::C32,
    DType::C64,
    DType::C128,
];

#[test]
fn any_layout_and_any_pair_of_dtypes_give_what_single_elements_give() {
    let mut random = Random(1);
    for round in 0..600 {
        let sizes = SHAPES[random.below(SHAPES.len())];
        let [left, right] = [0; 2].map(|_| DTYPES[random.below(DTYPES.len())]);
        let mut spread = sizes.to_vec();
        for size in &mut spread {
            *size = if random.below(3) == 0 { 1 } else { *size };
        }
        let (a, b) = (tensor(&mut random, sizes, left), tensor(&mut random, &spread, right));
        let op = [Op::Add, Op::Mul, Op::Div, Op::Eq][random.below(4)];
        let result = apply(op, &[(&a).into(), (&b).into()], &Params::none()).expect("a result");
        let expected = expected(op, &[&a, &b], sizes, result.dtype());
        assert!(bytes(&result) == expected, "round {round}: {op} of {left} {:?} and {right} {:?}", a.geometry(), b.geometry());

        let mut out = tensor(&mut random, sizes, result.dtype());
        apply_out(op, &[(&a).into(), (&b).into()], &mut out, &Params::none()).expect("a result");
        assert!(
            bytes(&out) == expected,
            "round {round}: {op} of {left} {:?} and {right} {:?} into {:?}",
            a.geometry(),
            b.geometry(),
            out.geometry()
        );
    }
}

#[test]
fn two_dtypes_give_what_their_common_one_gives() {
    let mut random = Random(5);
    for left in DTYPES {
        for right in DTYPES {
            let (a, b) = (tensor(&mut random, &[1100], left), tensor(&mut random, &[1100], right));
            let common = promote_types(left, right).expect("these have one");
            let [x, y] = [&a, &b].map(|operand| operand.to_dtype(common).expect("a conversion"));
            for op in [Op::Add, Op::Sub, Op::Mul, Op::Div] {
                if op == Op::Sub && (left == DType::Bool || right == DType::Bool) {
                    continue;
                }
                let params = if op == Op::Add { Params::one(3) } else { Params::none() };
                let params = if common == DType::Bool { Params::none() } else { params };
                let [mixed, same] = [[&a, &b], [&x, &y]].map(|two| apply(op, &two.map(RawOperand::Tensor), &params).expect("a result"));
                assert_eq!(mixed.dtype(), same.dtype(), "{op} of {left} and {right}");
                let differs = bytes(&mixed).iter().zip(&bytes(&same)).position(|(a, b)| a != b).map(|at| at / same.dtype().itemsize());
                assert!(differs.is_none(), "{op} of {left} and {right}: element {differs:?}");
            }
        }
    }
}

#[test]
fn in_place_the_operand_may_be_the_output() {
    let mut random = Random(2);
    for round in 0..100 {
        let sizes = SHAPES[random.below(SHAPES.len())];
        let dtype = DTYPES[random.below(DTYPES.len())];
        let a = tensor(&mut random, sizes, dtype);
        let expected = expected(Op::Mul, &[&a, &a], sizes, dtype);
        apply_in_place(Op::Mul, &a, &[(&a).into()], &Params::none()).expect("a result");
        assert!(bytes(&a) == expected, "round {round}: {dtype} {:?}", a.geometry());
    }
}

/// Pieces of a large tensor, computed alone.
#[test]
fn large_results_are_those_of_their_pieces_on_any_number_of_threads() {
    let count = (18 << 20) / 4 + 13;
    let numbers: Vec<f32> = (0..count).map(|i| (i % 9973) as f32 / 997.0).collect();
    let (a, b) = (flat(&numbers), flat(&numbers).to_dtype(DType::BF16).expect("a conversion"));
    for op in [Op::Add, Op::Atan2, Op::Lt] {
        let mut results = Vec::new();
        for threads in [1, 2, 5] {
            set_num_threads(threads);
            results.push(apply(op, &[(&a).into(), (&b).into()], &Params::none()).expect("a result"));
        }
        let [one, others @ ..] = results.as_slice() else { return };
        let whole = bytes(one);
        assert!(others.iter().all(|other| bytes(other) == whole), "{op}");
        let piece = |tensor: &RawTensor, offset: usize| tensor.narrow(0, offset.cast_signed(), 1000).expect("a piece");
        for offset in (0..count - 1000).step_by(99_991).chain([count - 1000]) {
            let alone = apply(op, &[(&piece(&a, offset)).into(), (&piece(&b, offset)).into()], &Params::none()).expect("a result");
            assert!(bytes(&alone) == bytes(&piece(one, offset)), "{op} from {offset} on");
        }
    }
}

#[test]
fn large_copies_arrive_whole() {
    let side = 2300_usize;
    let numbers: Vec<f32> = (0..side * side).map(|i| i as f32).collect();
    let dense = flat(&numbers).view(&[side.cast_signed(); 2]).expect("a square");
    let transposed = dense.reverse_dims().clone_as(MemoryFormat::Contiguous).expect("a copy");
    let result = TypedStorage::<f32>::of(transposed.storage().clone());
    let result = result.slice().expect("an own storage");
    for row in (0..side).step_by(7) {
        for column in 0..side {
            assert_eq!(result[row * side + column], numbers[column * side + row], "[{row}, {column}]");
        }
    }
    for dtype in [DType::F32, DType::F64, DType::I32] {
        let copy = dense.empty_like(dtype, MemoryFormat::Contiguous).expect("memory");
        copy.copy_(&dense).expect("a copy");
        let back = copy.to_dtype(DType::F32).expect("a conversion");
        assert!(bytes(&back) == bytes(&dense), "{dtype}");
    }
}
