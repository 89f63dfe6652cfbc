//! The table of dtypes: one row each, everything that is known of a dtype without computing with it.
//! The lattice above it is in [`crate::lattice`].

use std::fmt;

use crate::error::{Error, Result};

/// What kind of number a dtype holds. The order is that of promotion: a later category wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// `bool`.
    Boolean,
    /// The integers, signed or not.
    Integral,
    /// The real floating-point numbers.
    Floating,
    /// Pairs of floating-point numbers.
    Complex,
}

macro_rules! dtypes {
    (
        computing { $( $(#[$cdoc:meta])* $cvar:ident $cname:literal $crust:literal $ccat:ident $csize:literal $csigned:literal
            $cmsg:literal $clegacy:literal $csafe:literal $cplace:literal $cnumpy:literal [$($calias:literal),*]; )* }
        storage { $( $(#[$sdoc:meta])* $svar:ident $sname:literal $scat:ident $ssize:literal $ssigned:literal
            $smsg:literal $slegacy:literal $ssafe:literal $splace:literal $snumpy:literal $sheld:expr; )* }
    ) => {
        /// The type of a tensor's elements, as a value.
        ///
        /// The first thirteen compute; the others only hold data: they are converted, printed and stored.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum DType {
            $( $(#[$cdoc])* $cvar, )*
            $( $(#[$sdoc])* $svar, )*
        }

        impl DType {
            /// The dtypes with arithmetic, in the order of promotion.
            pub const COMPUTING: &'static [Self] = &[$(Self::$cvar),*];
            /// Every dtype.
            pub const ALL: &'static [Self] = &[$(Self::$cvar,)* $(Self::$svar),*];

            /// The name in PyTorch, without `torch.`: `float32`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$cvar => $cname,)* $(Self::$svar => $sname,)* }
            }

            /// The name that PyTorch's error messages use: `Float`, `ComplexDouble`.
            #[must_use]
            pub const fn message_name(self) -> &'static str {
                match self { $(Self::$cvar => $cmsg,)* $(Self::$svar => $smsg,)* }
            }

            /// The stem of the legacy classes (`Float` of `FloatTensor` and `FloatStorage`), where PyTorch has them.
            #[must_use]
            pub const fn legacy_name(self) -> Option<&'static str> {
                named(match self { $(Self::$cvar => $clegacy,)* $(Self::$svar => $slegacy,)* })
            }

            /// The name in safetensors, where they have the dtype.
            #[must_use]
            pub const fn safetensors_name(self) -> Option<&'static str> {
                named(match self { $(Self::$cvar => $csafe,)* $(Self::$svar => $ssafe,)* })
            }

            /// The place among the dtypes of safetensors, whose writers begin with the last one; 0 for one that they don't have.
            #[must_use]
            pub const fn safetensors_place(self) -> u8 {
                match self { $(Self::$cvar => $cplace,)* $(Self::$svar => $splace,)* }
            }

            /// numpy's letter and bytes, where it has the dtype: `f4`.
            #[must_use]
            pub const fn numpy_code(self) -> Option<&'static str> {
                named(match self { $(Self::$cvar => $cnumpy,)* $(Self::$svar => $snumpy,)* })
            }

            /// Other names of the dtype in PyTorch: `float` and so on.
            #[must_use]
            pub const fn aliases(self) -> &'static [&'static str] {
                match self { $(Self::$cvar => &[$($calias),*],)* $(Self::$svar => &[],)* }
            }

            /// Bytes of one element. The sub-byte quantised dtypes count as one byte.
            #[must_use]
            #[inline]
            pub const fn itemsize(self) -> usize {
                match self { $(Self::$cvar => $csize,)* $(Self::$svar => $ssize,)* }
            }

            /// The category that decides promotions between operands of different rank.
            #[must_use]
            pub const fn category(self) -> Category {
                match self { $(Self::$cvar => Category::$ccat,)* $(Self::$svar => Category::$scat,)* }
            }

            /// Whether negative numbers exist in the dtype; PyTorch counts complex dtypes in.
            #[must_use]
            pub const fn is_signed(self) -> bool {
                match self { $(Self::$cvar => $csigned,)* $(Self::$svar => $ssigned,)* }
            }

            /// Whether the dtype has arithmetic.
            #[must_use]
            pub const fn is_computing(self) -> bool {
                match self { $(Self::$cvar => true,)* $(Self::$svar => false,)* }
            }

            /// The last column, which dtypes with arithmetic don't need.
            const fn held(self) -> Held {
                match self { $(Self::$cvar => Held::Plainly,)* $(Self::$svar => $sheld,)* }
            }

            /// The Rust type of an element, as the text of a path; a dtype without arithmetic has none.
            #[must_use]
            pub const fn rust_type(self) -> Option<&'static str> {
                match self { $(Self::$cvar => Some($crust),)* $(Self::$svar => None,)* }
            }

            /// How the table names the variant: `BF16`.
            #[must_use]
            pub const fn variant(self) -> &'static str {
                match self { $(Self::$cvar => stringify!($cvar),)* $(Self::$svar => stringify!($svar),)* }
            }
        }
    };
}

/// A column that may be empty.
const fn named(name: &str) -> Option<&str> {
    if name.is_empty() { None } else { Some(name) }
}

/// How a dtype that only stores holds its numbers.
enum Held {
    /// As Rust's integer of the same name does.
    Plainly,
    /// As an 8-bit float.
    Float8(Float8Format),
    /// Quantised, in so many bits each, as the integers of another dtype.
    As(DType, u32),
}

/// Where an 8-bit float has its fields and what its last codes mean: bits of the mantissa, the exponent's bias, `greatest`, `beyond`, `one_zero`.
const fn float8(mantissa: u32, bias: u32, greatest: u32, beyond: u32, one_zero: bool) -> Held {
    Held::Float8(Float8Format { mantissa, bias, greatest, beyond, one_zero })
}

// PyTorch's name, Rust's where the dtype computes, category, bytes, sign; the names in messages and in legacy classes; safetensors' name and
// place, numpy's code; then other names, or how it is held.
dtypes! {
    computing {
        /// True or false, one byte.
        Bool "bool"       "bool"              Boolean  1  false "Bool"          "Bool"          "BOOL" 0  "b1"  [];
        /// Unsigned, 8 bits.
        U8   "uint8"      "u8"                Integral 1  false "Byte"          "Byte"          "U8"   4  "u1"  [];
        /// Signed, 8 bits.
        I8   "int8"       "i8"                Integral 1  true  "Char"          "Char"          "I8"   5  "i1"  [];
        /// Signed, 16 bits.
        I16  "int16"      "i16"               Integral 2  true  "Short"         "Short"         "I16"  11 "i2"  ["short"];
        /// Signed, 32 bits.
        I32  "int32"      "i32"               Integral 4  true  "Int"           "Int"           "I32"  15 "i4"  ["int"];
        /// Signed, 64 bits.
        I64  "int64"      "i64"               Integral 8  true  "Long"          "Long"          "I64"  20 "i8"  ["long"];
        /// IEEE half precision.
        F16  "float16"    "half::f16"         Floating 2  true  "Half"          "Half"          "F16"  13 "f2"  ["half"];
        /// The upper half of an `f32`.
        BF16 "bfloat16"   "half::bf16"        Floating 2  true  "BFloat16"      "BFloat16"      "BF16" 14 ""    [];
        /// IEEE single precision.
        F32  "float32"    "f32"               Floating 4  true  "Float"         "Float"         "F32"  17 "f4"  ["float"];
        /// IEEE double precision.
        F64  "float64"    "f64"               Floating 8  true  "Double"        "Double"        "F64"  19 "f8"  ["double"];
        /// A pair of `f16`.
        C32  "complex32"  "Complex<half::f16>" Complex 4  true  "ComplexHalf"   ""              ""     0  ""    ["chalf"];
        /// A pair of `f32`.
        C64  "complex64"  "Complex<f32>"      Complex  8  true  "ComplexFloat"  "ComplexFloat"  "C64"  18 "c8"  ["cfloat"];
        /// A pair of `f64`.
        C128 "complex128" "Complex<f64>"      Complex  16 true  "ComplexDouble" "ComplexDouble" ""     0  "c16" ["cdouble"];
    }
    storage {
        /// Unsigned, 16 bits.
        U16        "uint16"          Integral 2 false "UInt16"          ""         "U16"         12 "u2" Held::Plainly;
        /// Unsigned, 32 bits.
        U32        "uint32"          Integral 4 false "UInt32"          ""         "U32"         16 "u4" Held::Plainly;
        /// Unsigned, 64 bits.
        U64        "uint64"          Integral 8 false "UInt64"          ""         "U64"         21 "u8" Held::Plainly;
        /// 8-bit float, 4 bits of exponent: up to ±448, no infinities; what lies beyond becomes ±448.
        F8E4M3Fn   "float8_e4m3fn"   Floating 1 true  "Float8_e4m3fn"   ""         "F8_E4M3"     7  ""   float8(3, 7, 0x7e, 0x7e, false);
        /// 8-bit float, 5 bits of exponent: up to ±57344, with infinities.
        F8E5M2     "float8_e5m2"     Floating 1 true  "Float8_e5m2"     ""         "F8_E5M2"     6  ""   float8(2, 15, 0x7b, 0x7c, false);
        /// 8-bit float, 4 bits of exponent: up to ±240, no infinities, one zero; what lies beyond becomes NaN.
        F8E4M3FnUz "float8_e4m3fnuz" Floating 1 true  "Float8_e4m3fnuz" ""         "F8_E4M3FNUZ" 9  ""   float8(3, 8, 0x7f, 0x80, true);
        /// 8-bit float, 5 bits of exponent: up to ±57344, no infinities, one zero; what lies beyond becomes NaN.
        F8E5M2FnUz "float8_e5m2fnuz" Floating 1 true  "Float8_e5m2fnuz" ""         "F8_E5M2FNUZ" 10 ""   float8(2, 16, 0x7f, 0x80, true);
        /// Quantised unsigned bytes.
        QU8        "quint8"          Integral 1 false "QUInt8"          "QUInt8"   ""            0  ""   Held::As(Self::U8, 8);
        /// Quantised signed bytes.
        QI8        "qint8"           Integral 1 true  "QInt8"           "QInt8"    ""            0  ""   Held::As(Self::I8, 8);
        /// Quantised 32-bit integers.
        QI32       "qint32"          Integral 4 true  "QInt32"          "QInt32"   ""            0  ""   Held::As(Self::I32, 32);
        /// Two quantised 4-bit integers a byte.
        QU4x2      "quint4x2"        Integral 1 false "QUInt4x2"        "QUInt4x2" ""            0  ""   Held::As(Self::U8, 4);
        /// Four quantised 2-bit integers a byte.
        QU2x4      "quint2x4"        Integral 1 false "QUInt2x4"        "QUInt2x4" ""            0  ""   Held::As(Self::U8, 2);
    }
}

/// Where an 8-bit float has its fields and what its last codes mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Float8Format {
    /// Bits of the mantissa.
    pub mantissa: u32,
    /// What the exponent's field is more than the exponent.
    pub bias: u32,
    /// The code of the greatest finite number.
    pub greatest: u32,
    /// The code of numbers beyond it: the greatest one, infinity, or NaN.
    pub beyond: u32,
    /// One zero and one NaN, the latter where minus zero would be.
    pub one_zero: bool,
}

impl Float8Format {
    /// Whether infinity has a code.
    #[must_use]
    pub const fn has_infinity(self) -> bool {
        self.beyond > self.greatest && !self.one_zero
    }
}

impl DType {
    /// Whether the dtype holds real floating-point numbers.
    #[must_use]
    pub const fn is_floating_point(self) -> bool {
        matches!(self.category(), Category::Floating)
    }

    /// Whether the dtype holds complex numbers.
    #[must_use]
    pub const fn is_complex(self) -> bool {
        matches!(self.category(), Category::Complex)
    }

    /// Whether the dtype holds integers or booleans: what true division and `exp` turn into floats.
    #[must_use]
    pub const fn is_integral(self) -> bool {
        matches!(self.category(), Category::Boolean | Category::Integral)
    }

    /// Whether the dtype is one of the 8-bit floats.
    #[must_use]
    pub const fn is_float8(self) -> bool {
        self.float8().is_some()
    }

    /// What the codes of an 8-bit float mean.
    #[must_use]
    pub const fn float8(self) -> Option<Float8Format> {
        if let Held::Float8(format) = self.held() { Some(format) } else { None }
    }

    /// The dtype that elements have in memory: of quantised numbers that of their integers (of two or four to a byte, the byte's), of others
    /// the same.
    #[must_use]
    pub const fn held_as(self) -> Self {
        if let Held::As(integers, _) = self.held() { integers } else { self }
    }

    /// Bits of one number, of which an element of a sub-byte dtype has several.
    #[must_use]
    pub const fn bits(self) -> u32 {
        if let Held::As(_, bits) = self.held() { bits } else { 8 * self.itemsize() as u32 }
    }

    /// Whether the dtype stores quantised numbers.
    #[must_use]
    pub const fn is_quantized(self) -> bool {
        matches!(self.held(), Held::As(..))
    }

    /// The dtype of the parts of a complex dtype; any other is its own.
    #[must_use]
    pub const fn to_real(self) -> Self {
        match self {
            Self::C32 => Self::F16,
            Self::C64 => Self::F32,
            Self::C128 => Self::F64,
            // others: real, as a test below checks.
            other => other,
        }
    }

    /// The complex dtype whose parts are this floating dtype, as promotion with a complex number gives it.
    ///
    /// `bf16` gives `c64`: PyTorch's own answer there (bcomplex32) is a dtype that can't compute.
    #[must_use]
    pub const fn to_complex(self) -> Option<Self> {
        match self {
            Self::F16 | Self::C32 => Some(Self::C32),
            Self::BF16 | Self::F32 | Self::C64 => Some(Self::C64),
            Self::F64 | Self::C128 => Some(Self::C128),
            // others: no complex dtype has such parts.
            _ => None,
        }
    }

    /// The dtype of that name: PyTorch's name or alias, with or without `torch.`, or the Rust name.
    ///
    /// ```
    /// use latten_spec::DType;
    /// assert_eq!(DType::parse("torch.cfloat"), Some(DType::C64));
    /// assert_eq!(DType::parse("bf16"), Some(DType::BF16));
    /// assert_eq!(DType::parse("f4"), None);
    /// ```
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.strip_prefix("torch.").unwrap_or(name);
        Self::ALL
            .iter()
            .copied()
            .find(|d| d.name() == name || d.aliases().contains(&name) || (d.is_computing() && d.variant().to_ascii_lowercase() == name))
    }
}

/// What [`DType::parse`] takes.
impl std::str::FromStr for DType {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let unknown = || Error::value(format!("unknown dtype `{name}`: the names are PyTorch's, as `float32` or `int64`"));
        Self::parse(name).ok_or_else(unknown)
    }
}

/// PyTorch's name, without `torch.`; `Debug` has it with that prefix.
impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "torch.{}", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::{Category, DType};

    #[test]
    fn what_follows_from_a_dtype_follows_for_all_rows() {
        for &dtype in DType::ALL {
            assert_eq!(dtype.is_complex(), dtype.to_real() != dtype, "the parts of {dtype}");
            assert!(!dtype.is_complex() || dtype.to_real().to_complex() == Some(dtype), "parts of {dtype} make it");
            assert_eq!(dtype.is_quantized(), dtype.held_as() != dtype, "what {dtype} is held as");
            assert_eq!(dtype.held_as().itemsize(), dtype.itemsize(), "what {dtype} is held as");
        }
        for &dtype in DType::COMPUTING {
            assert_eq!(dtype.category() >= Category::Floating, dtype.to_complex().is_some(), "what {dtype} is a part of");
            assert!(dtype.is_integral() || dtype.computing().to_real().itemsize() >= 4, "what {dtype} is computed in");
        }
    }
}
