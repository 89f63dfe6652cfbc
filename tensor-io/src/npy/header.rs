//! The header of an npy file: a Python dict of three keys. Strings, True and False, integers and tuples of them are all that is known here.

use latten_core::error::Result;
use latten_core::geometry::Dims;
use latten_spec::DType;

use crate::fault::{broken, unsupported};

/// What a header says.
pub(crate) struct NpyHeader {
    pub(crate) dtype: DType,
    /// The most significant byte of each number comes first.
    pub(crate) is_big: bool,
    pub(crate) order: Order,
    pub(crate) sizes: Dims,
}

/// The order of elements.
pub(crate) enum Order {
    /// The last index runs fastest.
    C,
    /// The first one does.
    Fortran,
}

/// No tensor of numpy has more dimensions.
const MOST_DIMENSIONS: usize = 64;

pub(crate) fn parse(bytes: &[u8], is_utf8: bool) -> Result<NpyHeader> {
    // Before version 3 it is Latin-1, but all that is allowed is ASCII.
    if is_utf8 && std::str::from_utf8(bytes).is_err() {
        return Err(broken("it isn't UTF-8"));
    }
    let mut parser = Parser { bytes, at: 0 };
    let (mut descr, mut order, mut sizes) = (None, None, None);
    parser.expect(b'{')?;
    while !parser.skips(b'}') {
        let key = parser.text()?;
        parser.expect(b':')?;
        let is_new = match key.as_str() {
            "descr" => descr.replace(parser.descr()?).is_none(),
            "fortran_order" => order.replace(parser.truth()?).is_none(),
            "shape" => sizes.replace(parser.sizes()?).is_none(),
            _ => return Err(broken(format!("the key {key:?}; there are descr, fortran_order and shape"))),
        };
        if !is_new {
            return Err(broken(format!("the key {key:?} twice")));
        }
        if !parser.skips(b',') {
            parser.expect(b'}')?;
            break;
        }
    }
    parser.spaces();
    if parser.at < bytes.len() {
        return Err(parser.wrong("the end"));
    }
    match (descr, order, sizes) {
        (Some((dtype, is_big)), Some(is_fortran), Some(sizes)) => {
            Ok(NpyHeader { dtype, is_big, order: if is_fortran { Order::Fortran } else { Order::C }, sizes })
        }
        _ => Err(broken("descr, fortran_order or shape is missing")),
    }
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn wrong(&self, expected: &str) -> latten_core::error::Error {
        let found = self.bytes.get(self.at).map_or("the end".to_owned(), |byte| format!("`{}`", byte.escape_ascii()));
        broken(format!("{expected} is expected at byte {}, but {found} is there", self.at))
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn spaces(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn skips(&mut self, byte: u8) -> bool {
        self.spaces();
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, byte: u8) -> Result<()> {
        if self.skips(byte) { Ok(()) } else { Err(self.wrong(&format!("`{}`", char::from(byte)))) }
    }

    /// A string in quotes of either kind; none of those that matter has an escape.
    fn text(&mut self) -> Result<String> {
        self.spaces();
        let Some(quote @ (b'\'' | b'"')) = self.peek() else { return Err(self.wrong("a string")) };
        let start = self.at + 1;
        let Some(length) = self.bytes[start..].iter().position(|byte| *byte == quote) else {
            return Err(broken("a string without an end"));
        };
        self.at = start + length + 1;
        let text = &self.bytes[start..start + length];
        if length > 16 || !text.is_ascii() || text.contains(&b'\\') {
            return Err(unsupported(format!("the string `{}…`", text[..length.min(16)].escape_ascii())));
        }
        Ok(text.iter().copied().map(char::from).collect())
    }

    fn descr(&mut self) -> Result<(DType, bool)> {
        self.spaces();
        if !matches!(self.peek(), Some(b'\'' | b'"')) {
            return Err(unsupported("a descr that isn't one string: latten has no structures and no objects"));
        }
        let descr = self.text()?;
        let (mark, code) = match descr.chars().next() {
            Some(mark @ ('<' | '>' | '=' | '|')) => (mark, &descr[1..]),
            _ => ('=', descr.as_str()),
        };
        let named = |dtype: &&DType| if descr == "?" { **dtype == DType::Bool } else { dtype.numpy_code() == Some(code) };
        let Some(&dtype) = DType::ALL.iter().find(named) else {
            return Err(unsupported(format!("descr {descr:?}: latten has no such dtype")));
        };
        let is_big = mark == '>' || mark == '=' && cfg!(target_endian = "big");
        Ok((dtype, is_big))
    }

    fn word(&mut self) -> &[u8] {
        self.spaces();
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric()) {
            self.at += 1;
        }
        &self.bytes[start..self.at]
    }

    fn truth(&mut self) -> Result<bool> {
        match self.word() {
            b"True" => Ok(true),
            b"False" => Ok(false),
            _ => Err(broken("fortran_order is neither True nor False")),
        }
    }

    fn sizes(&mut self) -> Result<Dims> {
        let mut sizes = Dims::new();
        self.expect(b'(')?;
        while !self.skips(b')') {
            let word = self.word();
            // Python 2 wrote `3L`.
            let digits = word.strip_suffix(b"L").unwrap_or(word);
            let number = std::str::from_utf8(digits).ok().filter(|text| !text.starts_with('+')).and_then(|text| text.parse::<i64>().ok());
            let Some(size) = number.and_then(|size| usize::try_from(size).ok()) else { return Err(self.wrong("a size")) };
            sizes.push(size);
            if sizes.len() > MOST_DIMENSIONS {
                return Err(unsupported(format!("more than {MOST_DIMENSIONS} dimensions")));
            }
            let comma = self.skips(b',');
            if !comma {
                // `(6)` is a number, not a tuple.
                if sizes.len() == 1 {
                    return Err(self.wrong("`,`"));
                }
                self.expect(b')')?;
                break;
            }
        }
        Ok(sizes)
    }
}
