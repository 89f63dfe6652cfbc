//! What types say holds whatever the default dtype is. (A process of its own: the default dtype is that of the whole process.)

use latten::prelude::*;
use latten::set_default_dtype;

#[test]
fn a_typed_tensor_has_the_dtype_of_its_type_under_every_default() {
    for default in [DType::F64, DType::F16, DType::BF16] {
        set_default_dtype(default).expect("it can be the default dtype");
        let counts = Tensor::<i32>::from_vec(vec![1, 2, 3], [3]).expect("three numbers");
        let halves: Tensor<f32, Rank<1>> = &counts * 0.5;
        assert_eq!((halves.dtype(), halves.to_vec()), (DType::F32, Ok(vec![0.5, 1.0, 1.5])), "{default}");
        let quotients: Tensor<f32, Rank<1>> = &counts / 2;
        assert_eq!((quotients.dtype(), quotients.to_vec()), (DType::F32, Ok(vec![0.5, 1.0, 1.5])), "{default}");
        assert_eq!((&counts.any() * 0.5).dtype(), default, "what the type leaves open follows the default");
    }
}
