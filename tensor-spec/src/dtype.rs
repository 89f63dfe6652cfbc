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
            $cmsg:literal $clegacy:literal [$($calias:literal),*]; )* }
        storage { $( $(#[$sdoc:meta])* $svar:ident $sname:literal $scat:ident $ssize:literal $ssigned:literal
            $smsg:literal $slegacy:literal [$($sheld:ident)?]; )* }
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
                let name = match self { $(Self::$cvar => $clegacy,)* $(Self::$svar => $slegacy,)* };
                if name.is_empty() { None } else { Some(name) }
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

            /// Whether the dtype stores quantised numbers.
            #[must_use]
            pub const fn is_quantized(self) -> bool {
                self.held_as() as u8 != self as u8
            }

            /// The dtype that elements have in memory: of quantised numbers that of their integers (of two or four to a byte, the byte's), of others
            /// the same.
            #[must_use]
            pub const fn held_as(self) -> Self {
                match self {
                    $(Self::$cvar => self,)*
                    $(Self::$svar => { let held: &[Self] = &[$(Self::$sheld)?]; if let [held] = held { *held } else { self } })*
                }
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

dtypes! {
    computing {
        /// True or false, one byte.
        Bool "bool"       "bool"              Boolean  1  false "Bool"          "Bool"          [];
        /// Unsigned, 8 bits.
        U8   "uint8"      "u8"                Integral 1  false "Byte"          "Byte"          [];
        /// Signed, 8 bits.
        I8   "int8"       "i8"                Integral 1  true  "Char"          "Char"          [];
        /// Signed, 16 bits.
        I16  "int16"      "i16"               Integral 2  true  "Short"         "Short"         ["short"];
        /// Signed, 32 bits.
        I32  "int32"      "i32"               Integral 4  true  "Int"           "Int"           ["int"];
        /// Signed, 64 bits.
        I64  "int64"      "i64"               Integral 8  true  "Long"          "Long"          ["long"];
        /// IEEE half precision.
        F16  "float16"    "half::f16"         Floating 2  true  "Half"          "Half"          ["half"];
        /// The upper half of an `f32`.
        BF16 "bfloat16"   "half::bf16"        Floating 2  true  "BFloat16"      "BFloat16"      [];
        /// IEEE single precision.
        F32  "float32"    "f32"               Floating 4  true  "Float"         "Float"         ["float"];
        /// IEEE double precision.
        F64  "float64"    "f64"               Floating 8  true  "Double"        "Double"        ["double"];
        /// A pair of `f16`.
        C32  "complex32"  "Complex<half::f16>" Complex 4  true  "ComplexHalf"   ""              ["chalf"];
        /// A pair of `f32`.
        C64  "complex64"  "Complex<f32>"      Complex  8  true  "ComplexFloat"  "ComplexFloat"  ["cfloat"];
        /// A pair of `f64`.
        C128 "complex128" "Complex<f64>"      Complex  16 true  "ComplexDouble" "ComplexDouble" ["cdouble"];
    }
    storage {
        /// Unsigned, 16 bits.
        U16        "uint16"          Integral 2 false "UInt16"          ""        [];
        /// Unsigned, 32 bits.
        U32        "uint32"          Integral 4 false "UInt32"          ""        [];
        /// Unsigned, 64 bits.
        U64        "uint64"          Integral 8 false "UInt64"          ""        [];
        /// 8-bit float, 4 bits of exponent, finite.
        F8E4M3Fn   "float8_e4m3fn"   Floating 1 true  "Float8_e4m3fn"   ""        [];
        /// 8-bit float, 5 bits of exponent.
        F8E5M2     "float8_e5m2"     Floating 1 true  "Float8_e5m2"     ""        [];
        /// 8-bit float, 4 bits of exponent, finite, one zero.
        F8E4M3FnUz "float8_e4m3fnuz" Floating 1 true  "Float8_e4m3fnuz" ""        [];
        /// 8-bit float, 5 bits of exponent, finite, one zero.
        F8E5M2FnUz "float8_e5m2fnuz" Floating 1 true  "Float8_e5m2fnuz" ""        [];
        /// Quantised unsigned bytes.
        QU8        "quint8"          Integral 1 false "QUInt8"          "QUInt8"   [U8];
        /// Quantised signed bytes.
        QI8        "qint8"           Integral 1 true  "QInt8"           "QInt8"    [I8];
        /// Quantised 32-bit integers.
        QI32       "qint32"          Integral 4 true  "QInt32"          "QInt32"   [I32];
        /// Two quantised 4-bit integers a byte.
        QU4x2      "quint4x2"        Integral 1 false "QUInt4x2"        "QUInt4x2" [U8];
        /// Four quantised 2-bit integers a byte.
        QU2x4      "quint2x4"        Integral 1 false "QUInt2x4"        "QUInt2x4" [U8];
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
        self.is_floating_point() && self.itemsize() == 1
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
