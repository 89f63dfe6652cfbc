//! JSON as headers and indices have it, read piece by piece: nothing is kept of what nobody asks for, and nothing recurses.

use latten_core::error::{Error, Result};

use crate::fault::broken;

/// Values nest no deeper; the reference of safetensors has this limit too.
const DEEPEST: usize = 128;

/// A text that is read from the left.
pub(crate) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// An error that says what is there instead.
    pub(crate) fn expected(&self, what: &str) -> Error {
        let found = self.text[self.at..].chars().next().map_or("the end".to_owned(), |c| format!("`{}`", c.escape_debug()));
        broken(format!("invalid JSON: {what} is expected at byte {}, but {found} is there", self.at))
    }

    pub(crate) fn skips(&mut self, byte: u8) -> bool {
        self.spaces();
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    pub(crate) fn expect(&mut self, byte: u8) -> Result<()> {
        if self.skips(byte) { Ok(()) } else { Err(self.expected(&format!("`{}`", char::from(byte)))) }
    }

    /// Whether another item of a list or an object follows; takes the comma before it, or the mark that closes.
    pub(crate) fn goes_on(&mut self, is_first: &mut bool, close: u8) -> Result<bool> {
        if self.skips(close) {
            return Ok(false);
        }
        if !std::mem::replace(is_first, false) {
            self.expect(b',')?;
        }
        Ok(true)
    }

    /// The key of an object's entry, and the colon after it.
    pub(crate) fn key(&mut self) -> Result<String> {
        let key = self.string()?;
        self.expect(b':')?;
        Ok(key)
    }

    pub(crate) fn string(&mut self) -> Result<String> {
        self.expect(b'"').map_err(|_| self.expected("a string"))?;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(stop) = rest.find(|c: char| c == '"' || c == '\\' || c < ' ') else {
                return Err(broken("invalid JSON: a string without an end"));
            };
            text.push_str(&rest[..stop]);
            self.at += stop;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                _ => return Err(self.expected("no control character in a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        let kind = self.text.as_bytes().get(self.at + 1).copied();
        let c = match kind {
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => return Err(self.expected("an escape")),
        };
        self.at += 2;
        Ok(c)
    }

    /// `\uXXXX`, or two of them that are one character.
    fn unicode(&mut self) -> Result<char> {
        let first = self.unit()?;
        let code = match first {
            0xd800..=0xdbff => {
                let low = self.unit()?;
                if !(0xdc00..=0xdfff).contains(&low) {
                    return Err(broken(format!("invalid JSON: half a character before byte {}", self.at)));
                }
                0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00)
            }
            other => other,
        };
        char::from_u32(code).ok_or_else(|| broken(format!("invalid JSON: half a character before byte {}", self.at)))
    }

    fn unit(&mut self) -> Result<u32> {
        let digits = self.text.get(self.at..self.at + 6).and_then(|text| text.strip_prefix("\\u"));
        let number = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(number) = number.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else { return Err(self.expected("`\\uXXXX`")) };
        self.at += 6;
        Ok(number)
    }

    /// A number without sign, point and exponent, as sizes and places are.
    pub(crate) fn natural(&mut self) -> Result<u64> {
        self.spaces();
        let digits = self.text[self.at..].bytes().take_while(u8::is_ascii_digit).count();
        let text = &self.text[self.at..self.at + digits];
        let follows = self.text.as_bytes().get(self.at + digits);
        if digits == 0 || digits > 1 && text.starts_with('0') || matches!(follows, Some(b'.' | b'e' | b'E')) {
            return Err(self.expected("a whole number"));
        }
        let number =
            text.parse().map_err(|_| broken(format!("invalid JSON: the number {text} at byte {} has more than 64 bits", self.at)))?;
        self.at += digits;
        Ok(number)
    }

    /// Passes one value of any kind.
    pub(crate) fn skip(&mut self) -> Result<()> {
        // For each value around: the mark that closes it, and whether nothing of it was read yet.
        let mut around: Vec<(u8, bool)> = Vec::new();
        loop {
            let opened = self.skip_one()?;
            if let Some(close) = opened {
                if around.len() == DEEPEST {
                    return Err(broken(format!(
                        "invalid JSON: recursion limit exceeded: more than {DEEPEST} values around byte {}",
                        self.at
                    )));
                }
                around.push((close, true));
            }
            loop {
                let Some((close, is_first)) = around.last_mut() else { return Ok(()) };
                let (close, mut first) = (*close, std::mem::replace(is_first, false));
                if self.goes_on(&mut first, close)? {
                    if close == b'}' {
                        self.key()?;
                    }
                    break;
                }
                around.pop();
            }
        }
    }

    /// Passes a value without parts, or the mark that opens one with parts; answers the mark that closes it.
    fn skip_one(&mut self) -> Result<Option<u8>> {
        self.spaces();
        match self.peek() {
            Some(b'{') => {
                self.at += 1;
                return Ok(Some(b'}'));
            }
            Some(b'[') => {
                self.at += 1;
                return Ok(Some(b']'));
            }
            Some(b'"') => {
                self.string()?;
            }
            Some(b'-' | b'0'..=b'9') => {
                let length = self.text[self.at..].bytes().take_while(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte)).count();
                let number = &self.text[self.at..self.at + length];
                if number.parse::<f64>().is_err() {
                    return Err(self.expected("a number"));
                }
                self.at += length;
            }
            _ => {
                let words = ["true", "false", "null"];
                let Some(word) = words.iter().find(|word| self.text[self.at..].starts_with(**word)) else {
                    return Err(self.expected("a value"));
                };
                self.at += word.len();
            }
        }
        Ok(None)
    }

    /// Whether `null` is next; takes it.
    pub(crate) fn is_null(&mut self) -> bool {
        self.spaces();
        let is_null = self.text[self.at..].starts_with("null");
        self.at += if is_null { 4 } else { 0 };
        is_null
    }

    /// That nothing but spaces follows.
    pub(crate) fn end(&mut self) -> Result<()> {
        self.spaces();
        if self.at == self.text.len() { Ok(()) } else { Err(self.expected("the end")) }
    }
}

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c < ' ' => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
