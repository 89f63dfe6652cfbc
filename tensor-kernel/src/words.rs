//! The words of the language, a row each: what formulas may call beside the operations of the table. From the rows come what `check` accepts,
//! derivatives, CUDA's calls (`kernels::source`) and the methods of Rust's numbers (`latten_macros::words!`); what computes a word on the CPU
//! is a function for each of `f32` and `f64` in tensor-elements/src/loops/. Nothing here needs a parser.

use latten_spec::Category;
use latten_spec::operation::Categories;

/// A word.
#[derive(Debug)]
pub struct Word {
    /// What formulas call it: PyTorch's name, where it has one.
    pub name: &'static str,
    /// What methods in Rust and functions in CUDA are called.
    pub symbol: &'static str,
    /// Which trait of `latten_core::kernels::vocabulary` has it.
    pub home: &'static str,
    /// The categories of its arguments.
    pub takes: Categories,
    /// How many it takes.
    pub arguments: usize,
    /// What it gives.
    pub gives: Gives,
    /// What it costs.
    pub cost: Cost,
    /// The method of Rust's own numbers that computes it, where one does.
    pub method: &'static str,
    /// CUDA's function of `f64` that computes it, whose twin for `f32` ends in `f`; where there is none, `kernels/` has its text.
    pub cuda: Option<&'static str>,
    /// Of real numbers and of complex ones, for each argument its derivative as PyTorch has it: a formula over the gradient `g`, the arguments
    /// `x`, `y`, `z`, the result `r` and the imaginary unit `i`. `0`: the word is constant between its steps.
    #[cfg(feature = "language")]
    pub derivatives: [&'static [&'static str]; 2],
}

/// What a word gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// What it took.
    Same,
    /// A part, of a complex value.
    Part,
    /// A complex value, of two parts.
    Whole,
    /// True or false.
    Truth,
}

/// What a word costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// As an operator: a method of Rust's own floats.
    Standard,
    /// As an operator.
    Fast,
    /// Many times as much.
    Slow,
    /// That only for large arguments, or quotients of two: `Floating` has the word for small ones too, with `_near` after its name.
    Near,
}

impl Word {
    /// Whether it takes many times the time of an operator.
    #[must_use]
    pub const fn is_slow(&self) -> bool {
        matches!(self.cost, Cost::Slow | Cost::Near)
    }
}

/// What is said, or else the same.
const fn or<T: Copy>(said: &[T], same: T) -> T {
    if let [said, ..] = said { *said } else { same }
}

macro_rules! words {
    ($($home:ident $takes:ident -> $gives:ident, $text:ident {
        $($cost:ident $name:ident $(= $symbol:ident)? $(by $method:ident)? $(cuda $cuda:ident)?: $($real:literal),+ $(| $($complex:literal),+)?;)+
    })*) => {
        /// All words. One that differs by category has a row for each.
        pub static WORDS: &[Word] = &[$($(Word {
            name: stringify!($name),
            symbol: or(&[$(stringify!($symbol))?], stringify!($name)),
            home: stringify!($home),
            takes: Categories::$takes,
            arguments: [$($real),+].len(),
            gives: Gives::$gives,
            cost: Cost::$cost,
            method: or(&[$(stringify!($method),)? $(stringify!($symbol))?], stringify!($name)),
            cuda: if matches!(stringify!($text).as_bytes(), b"called") { Some(or(&[$(stringify!($cuda))?], stringify!($name))) } else { None },
            #[cfg(feature = "language")]
            derivatives: [&[$($real),+], or(&[$(&[$($complex),+])?], &[$($real),+])],
        }),+),*];
    };
}

// Which trait has the words, what they take and give, and whether CUDA's functions are called or their text is written. Then a row: what it
// costs, `name = symbol`, `by` and `cuda` where a function of Rust or CUDA has another name, and the derivatives; after `|` those of complex
// numbers, where they are others.
words! {
    Division REAL -> Same, written {
        Near floor_divide = div_floor: "0", "0";
        Near remainder = modulo: "g", "-g * floor_divide(x, y)";
    }
    Integral INTEGRAL -> Same, written {
        Slow gcd: "0", "0";
    }
    Magnitude REAL -> Same, written {
        Fast abs: "g * sgn(x)";
    }
    Magnitude COMPLEX -> Part, written {
        Slow abs: "g * sgn(x)";
    }
    Power NUMBER -> Same, written {
        // The logarithm is that of `x` in the result's dtype.
        Slow pow: "if y == 0 { 0 } else { g * (y * pow(x, y - 1)) }", "if (x == 0) & (y >= 0) { 0 } else { g * (r * log(if x == x { x } else { x + y })) }"
            | "if y == 0 { 0 } else { g * conj(y * pow(x, y - 1)) }", "if (x == 0) & (y == real(y)) & (real(y) >= 0) { 0 } else { g * conj(r * log(if x == x { x } else { x + y })) }";
    }
    Analytic INEXACT -> Same, called {
        Standard sqrt: "g / conj(2 * r)";
        Slow exp: "g * conj(r)";
        Slow exp2: "g * conj(r * 0.6931471805599453)";
        Slow expm1 = exp_m1: "g * conj(r + 1)";
        Slow log = ln: "g / conj(x)";
        Slow log2: "g / conj(x * 0.6931471805599453)";
        Slow log10: "g / conj(x * 2.302585092994046)";
        Slow log1p = ln_1p: "g / conj(x + 1)";
        Slow asin: "g * conj(rsqrt(1 - x * x))";
        Slow acos: "-g * conj(rsqrt(1 - x * x))";
        Slow atan: "g / conj(x * x + 1)";
        Slow sinh: "g * conj(cosh(x))";
        Slow cosh: "g * conj(sinh(x))";
        Slow tanh: "g * conj(1 - r * r)";
        Slow asinh: "g * conj(rsqrt(x * x + 1))";
        Slow acosh: "g * rsqrt(x * x - 1)" | "g * conj(rsqrt(x - 1) * rsqrt(x + 1))";
        Slow atanh: "g / conj(1 - x * x)";
        Near sin: "g * conj(cos(x))";
        Near cos: "-g * conj(sin(x))";
        Near tan: "g * conj(1 + r * r)";
    }
    Floating FLOATING -> Same, called {
        Standard floor: "0";
        Standard ceil: "0";
        Standard trunc: "0";
        // To the nearest integer, halves to the even one.
        Standard round by round_ties_even cuda rint: "0";
        Standard copysign: "if x == 0 { 0 } else { g * (r / x) }", "0";
        // `x * y + z`, rounded once.
        Standard mul_add cuda fma: "g * y", "g * x", "g";
        Slow erf: "g * 1.1283791670955126 * exp(-x * x)";
        Slow erfc: "-g * 1.1283791670955126 * exp(-x * x)";
        Slow erfinv: "g * 0.886226925452758 * exp(r * r)";
        Slow lgamma: "g * digamma(x)";
        Slow atan2: "if (x == 0) & (y == 0) { 0 } else { g * y / (x * x + y * y) }", "if (x == 0) & (y == 0) { 0 } else { g * -x / (x * x + y * y) }";
        Slow hypot: "g * x / r", "g * y / r";
    }
    Floating FLOATING -> Truth, written {
        Standard isnan = is_nan: "0";
        Standard isinf = is_infinite: "0";
        Standard isfinite = is_finite: "0";
        Standard signbit by is_sign_negative: "0";
    }
    Complexity COMPLEX -> Part, written {
        Fast real = re: "real(g)";
        Fast imag = im: "real(g) * i";
        Slow angle = argument: "if x == 0 { 0 } else { g * (x * i) / (abs(x) * abs(x)) }";
    }
    Complexity COMPLEX -> Same, written {
        Fast conj: "conj(g)";
        // The number of modulus one in the same direction; zero stays.
        Slow sgn = unit: "if x == 0 { 0 } else { (g - sgn(x) * real(conj(sgn(x)) * g)) / abs(x) }";
    }
    Complexity COMPLEX -> Whole, written {
        Fast complex: "real(g)", "imag(g)";
    }
}

/// The word that a formula for numbers of some category calls by a name: the one that takes them, else the first of that name.
#[must_use]
pub fn word(name: &str, category: Category) -> Option<&'static Word> {
    let called = || WORDS.iter().filter(|word| word.name == name);
    called().find(|word| word.takes.contains(category)).or_else(|| called().next())
}
