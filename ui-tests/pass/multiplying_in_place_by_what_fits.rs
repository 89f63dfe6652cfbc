#![allow(dead_code)]
use latten::prelude::*;

fn bool_by_bool(mut a: Tensor<bool, shape![3]>, b: Tensor<bool, shape![3]>) {
    a *= &b;
}

fn u8_by_bool(mut a: Tensor<u8, shape![3]>, b: Tensor<bool, shape![3]>) {
    a *= &b;
}

fn u8_by_u8(mut a: Tensor<u8, shape![3]>, b: Tensor<u8, shape![3]>) {
    a *= &b;
}

fn u8_by_i8(mut a: Tensor<u8, shape![3]>, b: Tensor<i8, shape![3]>) {
    a *= &b;
}

fn u8_by_i16(mut a: Tensor<u8, shape![3]>, b: Tensor<i16, shape![3]>) {
    a *= &b;
}

fn u8_by_i32(mut a: Tensor<u8, shape![3]>, b: Tensor<i32, shape![3]>) {
    a *= &b;
}

fn u8_by_i64(mut a: Tensor<u8, shape![3]>, b: Tensor<i64, shape![3]>) {
    a *= &b;
}

fn i8_by_bool(mut a: Tensor<i8, shape![3]>, b: Tensor<bool, shape![3]>) {
    a *= &b;
}

fn i8_by_u8(mut a: Tensor<i8, shape![3]>, b: Tensor<u8, shape![3]>) {
    a *= &b;
}

fn i8_by_i8(mut a: Tensor<i8, shape![3]>, b: Tensor<i8, shape![3]>) {
    a *= &b;
}

fn i8_by_i16(mut a: Tensor<i8, shape![3]>, b: Tensor<i16, shape![3]>) {
    a *= &b;
}

fn i8_by_i32(mut a: Tensor<i8, shape![3]>, b: Tensor<i32, shape![3]>) {
    a *= &b;
}

fn i8_by_i64(mut a: Tensor<i8, shape![3]>, b: Tensor<i64, shape![3]>) {
    a *= &b;
}

fn i16_by_bool(mut a: Tensor<i16, shape![3]>, b: Tensor<bool, shape![3]>) {
    a *= &b;
}

fn i16_by_u8(mut a: Tensor<i16, shape![3]>, b: Tensor<u8, shape![3]>) {
    a *= &b;
}

fn i16_by_i8(mut a: Tensor<i16, shape![3]>, b: Tensor<i8, shape![3]>) {
    a *= &b;
}

fn i16_by_i16(mut a: Tensor<i16, shape![3]>, b: Tensor<i16, shape![3]>) {
    a *= &b;
}

fn i16_by_i32(mut a: Tensor<i16, shape![3]>, b: Tensor<i32, shape![3]>) {
    a *= &b;
}

fn i16_by_i64(mut a: Tensor<i16, shape![3]>, b: Tensor<i64, shape![3]>) {
    a *= &b;
}

fn i32_by_bool(mut a: Tensor<i32, shape![3]>, b: Tensor<bool, shape![3]>) {
    a *= &b;
}

fn i32_by_u8(mut a: Tensor<i32, shape![3]>, b: Tensor<u8, shape![3]>) {
    a *= &b;
}

fn i32_by_i8(mut a: Tensor<i32, shape![3]>, b: Tensor<i8, shape![3]>) {
    a *= &b;
}

fn i32_by_i16(mut a: Tensor<i32, shape![3]>, b: Tensor<i16, shape![3]>) {
    a *= &b;
}

fn i32_by_i32(mut a: Tensor<i32, shape![3]>, b: Tensor<i32, shape![3]>) {
    a *= &b;
}

fn i32_by_i64(mut a: Tensor<i32, shape![3]>, b: Tensor<i64, shape![3]>) {
    a *= &b;
}

fn i64_by_bool(mut a: Tensor<i64, shape![3]>, b: Tensor<bool, shape![3]>) {
    a *= &b;
}

fn i64_by_u8(mut a: Tensor<i64, shape![3]>, b: Tensor<u8, shape![3]>) {
    a *= &b;
}

fn i64_by_i8(mut a: Tensor<i64, shape![3]>, b: Tensor<i8, shape![3]>) {
    a *= &b;
}

fn i64_by_i16(mut a: Tensor<i64, shape![3]>, b: Tensor<i16, shape![3]>) {
    a *= &b;
}

fn i64_by_i32(mut a: Tensor<i64, shape![3]>, b: Tensor<i32, shape![3]>) {
    a *= &b;
}

fn i64_by_i64(mut a: Tensor<i64, shape![3]>, b: Tensor<i64, shape![3]>) {
    a *= &b;
}

fn f16_by_bool(mut a: Tensor<f16, shape![3]>, b: Tensor<bool, shape![3]>) {
    a *= &b;
}

fn f16_by_u8(mut a: Tensor<f16, shape![3]>, b: Tensor<u8, shape![3]>) {
    a *= &b;
}

fn f16_by_i8(mut a: Tensor<f16, shape![3]>, b: Tensor<i8, shape![3]>) {
    a *= &b;
}

fn f16_by_i16(mut a: Tensor<f16, shape![3]>, b: Tensor<i16, shape![3]>) {
    a *= &b;
}

fn f16_by_i32(mut a: Tensor<f16, shape![3]>, b: Tensor<i32, shape![3]>) {
    a *= &b;
}

fn f16_by_i64(mut a: Tensor<f16, shape![3]>, b: Tensor<i64, shape![3]>) {
    a *= &b;
}

fn f16_by_f16(mut a: Tensor<f16, shape![3]>, b: Tensor<f16, shape![3]>) {
    a *= &b;
}

fn f16_by_bf16(mut a: Tensor<f16, shape![3]>, b: Tensor<bf16, shape![3]>) {
    a *= &b;
}

fn f16_by_f32(mut a: Tensor<f16, shape![3]>, b: Tensor<f32, shape![3]>) {
    a *= &b;
}

fn f16_by_f64(mut a: Tensor<f16, shape![3]>, b: Tensor<f64, shape![3]>) {
    a *= &b;
}

fn bf16_by_bool(mut a: Tensor<bf16, shape![3]>, b: Tensor<bool, shape![3]>) {
    a *= &b;
}

fn bf16_by_u8(mut a: Tensor<bf16, shape![3]>, b: Tensor<u8, shape![3]>) {
    a *= &b;
}

fn bf16_by_i8(mut a: Tensor<bf16, shape![3]>, b: Tensor<i8, shape![3]>) {
    a *= &b;
}

fn bf16_by_i16(mut a: Tensor<bf16, shape![3]>, b: Tensor<i16, shape![3]>) {
    a *= &b;
}

fn bf16_by_i32(mut a: Tensor<bf16, shape![3]>, b: Tensor<i32, shape![3]>) {
    a *= &b;
}

fn bf16_by_i64(mut a: Tensor<bf16, shape![3]>, b: Tensor<i64, shape![3]>) {
    a *= &b;
}

fn bf16_by_f16(mut a: Tensor<bf16, shape![3]>, b: Tensor<f16, shape![3]>) {
    a *= &b;
}

fn bf16_by_bf16(mut a: Tensor<bf16, shape![3]>, b: Tensor<bf16, shape![3]>) {
    a *= &b;
}

fn bf16_by_f32(mut a: Tensor<bf16, shape![3]>, b: Tensor<f32, shape![3]>) {
    a *= &b;
}

fn bf16_by_f64(mut a: Tensor<bf16, shape![3]>, b: Tensor<f64, shape![3]>) {
    a *= &b;
}

fn f32_by_bool(mut a: Tensor<f32, shape![3]>, b: Tensor<bool, shape![3]>) {
    a *= &b;
}

fn f32_by_u8(mut a: Tensor<f32, shape![3]>, b: Tensor<u8, shape![3]>) {
    a *= &b;
}

fn f32_by_i8(mut a: Tensor<f32, shape![3]>, b: Tensor<i8, shape![3]>) {
    a *= &b;
}

fn f32_by_i16(mut a: Tensor<f32, shape![3]>, b: Tensor<i16, shape![3]>) {
    a *= &b;
}

fn f32_by_i32(mut a: Tensor<f32, shape![3]>, b: Tensor<i32, shape![3]>) {
    a *= &b;
}

fn f32_by_i64(mut a: Tensor<f32, shape![3]>, b: Tensor<i64, shape![3]>) {
    a *= &b;
}

fn f32_by_f16(mut a: Tensor<f32, shape![3]>, b: Tensor<f16, shape![3]>) {
    a *= &b;
}

fn f32_by_bf16(mut a: Tensor<f32, shape![3]>, b: Tensor<bf16, shape![3]>) {
    a *= &b;
}

fn f32_by_f32(mut a: Tensor<f32, shape![3]>, b: Tensor<f32, shape![3]>) {
    a *= &b;
}

fn f32_by_f64(mut a: Tensor<f32, shape![3]>, b: Tensor<f64, shape![3]>) {
    a *= &b;
}

fn f64_by_bool(mut a: Tensor<f64, shape![3]>, b: Tensor<bool, shape![3]>) {
    a *= &b;
}

fn f64_by_u8(mut a: Tensor<f64, shape![3]>, b: Tensor<u8, shape![3]>) {
    a *= &b;
}

fn f64_by_i8(mut a: Tensor<f64, shape![3]>, b: Tensor<i8, shape![3]>) {
    a *= &b;
}

fn f64_by_i16(mut a: Tensor<f64, shape![3]>, b: Tensor<i16, shape![3]>) {
    a *= &b;
}

fn f64_by_i32(mut a: Tensor<f64, shape![3]>, b: Tensor<i32, shape![3]>) {
    a *= &b;
}

fn f64_by_i64(mut a: Tensor<f64, shape![3]>, b: Tensor<i64, shape![3]>) {
    a *= &b;
}

fn f64_by_f16(mut a: Tensor<f64, shape![3]>, b: Tensor<f16, shape![3]>) {
    a *= &b;
}

fn f64_by_bf16(mut a: Tensor<f64, shape![3]>, b: Tensor<bf16, shape![3]>) {
    a *= &b;
}

fn f64_by_f32(mut a: Tensor<f64, shape![3]>, b: Tensor<f32, shape![3]>) {
    a *= &b;
}

fn f64_by_f64(mut a: Tensor<f64, shape![3]>, b: Tensor<f64, shape![3]>) {
    a *= &b;
}

fn c32_by_bool(mut a: Tensor<c32, shape![3]>, b: Tensor<bool, shape![3]>) {
    a *= &b;
}

fn c32_by_u8(mut a: Tensor<c32, shape![3]>, b: Tensor<u8, shape![3]>) {
    a *= &b;
}

fn c32_by_i8(mut a: Tensor<c32, shape![3]>, b: Tensor<i8, shape![3]>) {
    a *= &b;
}

fn c32_by_i16(mut a: Tensor<c32, shape![3]>, b: Tensor<i16, shape![3]>) {
    a *= &b;
}

fn c32_by_i32(mut a: Tensor<c32, shape![3]>, b: Tensor<i32, shape![3]>) {
    a *= &b;
}

fn c32_by_i64(mut a: Tensor<c32, shape![3]>, b: Tensor<i64, shape![3]>) {
    a *= &b;
}

fn c32_by_f16(mut a: Tensor<c32, shape![3]>, b: Tensor<f16, shape![3]>) {
    a *= &b;
}

fn c32_by_bf16(mut a: Tensor<c32, shape![3]>, b: Tensor<bf16, shape![3]>) {
    a *= &b;
}

fn c32_by_f32(mut a: Tensor<c32, shape![3]>, b: Tensor<f32, shape![3]>) {
    a *= &b;
}

fn c32_by_f64(mut a: Tensor<c32, shape![3]>, b: Tensor<f64, shape![3]>) {
    a *= &b;
}

fn c32_by_c32(mut a: Tensor<c32, shape![3]>, b: Tensor<c32, shape![3]>) {
    a *= &b;
}

fn c32_by_c64(mut a: Tensor<c32, shape![3]>, b: Tensor<c64, shape![3]>) {
    a *= &b;
}

fn c32_by_c128(mut a: Tensor<c32, shape![3]>, b: Tensor<c128, shape![3]>) {
    a *= &b;
}

fn c64_by_bool(mut a: Tensor<c64, shape![3]>, b: Tensor<bool, shape![3]>) {
    a *= &b;
}

fn c64_by_u8(mut a: Tensor<c64, shape![3]>, b: Tensor<u8, shape![3]>) {
    a *= &b;
}

fn c64_by_i8(mut a: Tensor<c64, shape![3]>, b: Tensor<i8, shape![3]>) {
    a *= &b;
}

fn c64_by_i16(mut a: Tensor<c64, shape![3]>, b: Tensor<i16, shape![3]>) {
    a *= &b;
}

fn c64_by_i32(mut a: Tensor<c64, shape![3]>, b: Tensor<i32, shape![3]>) {
    a *= &b;
}

fn c64_by_i64(mut a: Tensor<c64, shape![3]>, b: Tensor<i64, shape![3]>) {
    a *= &b;
}

fn c64_by_f16(mut a: Tensor<c64, shape![3]>, b: Tensor<f16, shape![3]>) {
    a *= &b;
}

fn c64_by_bf16(mut a: Tensor<c64, shape![3]>, b: Tensor<bf16, shape![3]>) {
    a *= &b;
}

fn c64_by_f32(mut a: Tensor<c64, shape![3]>, b: Tensor<f32, shape![3]>) {
    a *= &b;
}

fn c64_by_f64(mut a: Tensor<c64, shape![3]>, b: Tensor<f64, shape![3]>) {
    a *= &b;
}

fn c64_by_c32(mut a: Tensor<c64, shape![3]>, b: Tensor<c32, shape![3]>) {
    a *= &b;
}

fn c64_by_c64(mut a: Tensor<c64, shape![3]>, b: Tensor<c64, shape![3]>) {
    a *= &b;
}

fn c64_by_c128(mut a: Tensor<c64, shape![3]>, b: Tensor<c128, shape![3]>) {
    a *= &b;
}

fn c128_by_bool(mut a: Tensor<c128, shape![3]>, b: Tensor<bool, shape![3]>) {
    a *= &b;
}

fn c128_by_u8(mut a: Tensor<c128, shape![3]>, b: Tensor<u8, shape![3]>) {
    a *= &b;
}

fn c128_by_i8(mut a: Tensor<c128, shape![3]>, b: Tensor<i8, shape![3]>) {
    a *= &b;
}

fn c128_by_i16(mut a: Tensor<c128, shape![3]>, b: Tensor<i16, shape![3]>) {
    a *= &b;
}

fn c128_by_i32(mut a: Tensor<c128, shape![3]>, b: Tensor<i32, shape![3]>) {
    a *= &b;
}

fn c128_by_i64(mut a: Tensor<c128, shape![3]>, b: Tensor<i64, shape![3]>) {
    a *= &b;
}

fn c128_by_f16(mut a: Tensor<c128, shape![3]>, b: Tensor<f16, shape![3]>) {
    a *= &b;
}

fn c128_by_bf16(mut a: Tensor<c128, shape![3]>, b: Tensor<bf16, shape![3]>) {
    a *= &b;
}

fn c128_by_f32(mut a: Tensor<c128, shape![3]>, b: Tensor<f32, shape![3]>) {
    a *= &b;
}

fn c128_by_f64(mut a: Tensor<c128, shape![3]>, b: Tensor<f64, shape![3]>) {
    a *= &b;
}

fn c128_by_c32(mut a: Tensor<c128, shape![3]>, b: Tensor<c32, shape![3]>) {
    a *= &b;
}

fn c128_by_c64(mut a: Tensor<c128, shape![3]>, b: Tensor<c64, shape![3]>) {
    a *= &b;
}

fn c128_by_c128(mut a: Tensor<c128, shape![3]>, b: Tensor<c128, shape![3]>) {
    a *= &b;
}

pub(crate) fn main() {}
