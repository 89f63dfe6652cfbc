//! Trees of expected values against what was read: kinds, dtypes, shapes, strides, offsets, sharing and bytes.

use std::collections::HashMap;

use latten::io::gguf::Datum;
use latten::io::{Archive, Dict, DictKind, SavedTensor, Value};
use latten::raw::RawTensor;
use latten::storage::UntypedStorage;
use serde_json::Value as Json;

use crate::bytes::decode;

const MOST: usize = 20;

/// What differs; `about` is the line, with the format and how exactly to compare.
pub(super) fn differences(expected: &Json, about: &Json, archive: &Archive) -> Vec<String> {
    let is_elements = about["compare"] == "elements";
    let format = about["format"].as_str().unwrap_or_default();
    let mut comparison = Comparison {
        table: expected["storages"].as_array().cloned().unwrap_or_default(),
        exact: format == "pt" && !is_elements,
        layout: matches!(format, "pt" | "npy") && !is_elements,
        sorted: matches!(format, "safetensors" | "npz" | "index"),
        found: Vec::new(),
        places: HashMap::new(),
        lines: Vec::new(),
    };
    if let Some(tree) = expected["value"].get("gguf") {
        comparison.gguf(tree, archive);
        return comparison.lines;
    }
    comparison.node(&expected["value"], &archive.value, "value");
    if let Some(metadata) = expected.get("metadata") {
        let found: serde_json::Map<String, Json> =
            archive.metadata.iter().flatten().map(|(name, text)| (name.clone(), Json::String(text.clone()))).collect();
        let found = if archive.metadata.is_some() { Json::Object(found) } else { Json::Null };
        comparison.same(metadata, &found, "metadata");
    }
    comparison.lines
}

struct Comparison {
    table: Vec<Json>,
    exact: bool,
    layout: bool,
    sorted: bool,
    /// The storages that were found, and which of the expected ones each is.
    found: Vec<(UntypedStorage, usize)>,
    places: HashMap<usize, usize>,
    lines: Vec<String>,
}

impl Comparison {
    fn say(&mut self, at: &str, text: impl AsRef<str>) {
        if self.lines.len() < MOST {
            self.lines.push(format!("{at}: {}", text.as_ref()));
        }
    }

    fn same(&mut self, expected: &Json, found: &Json, at: &str) {
        if expected != found {
            self.say(at, format!("expected {}, got {}", short(expected), short(found)));
        }
    }

    fn node(&mut self, expected: &Json, found: &Value, at: &str) {
        let Some((kind, inner)) = expected.as_object().and_then(|map| map.iter().find(|(kind, _)| *kind != "attrs")) else {
            return self.same(expected, &plain(found).unwrap_or(Json::Bool(true)), at);
        };
        match (kind.as_str(), found) {
            ("list", Value::List(items)) | ("tuple", Value::Tuple(items)) => self.sequence(inner, items.iter(), at),
            ("set", Value::Set(items)) => {
                let mut items: Vec<&Value> = items.iter().collect();
                items.sort_by_key(|item| python_json(item));
                self.sequence(inner, items.into_iter(), at);
            }
            ("dict" | "ordered_dict" | "counter", Value::Dict(dict)) if kind == name_of(dict.kind()) => {
                self.dict(inner, dict, at);
                self.attributes(&expected["attrs"], dict.attributes(), at);
            }
            ("tensor", Value::Tensor(tensor)) => self.tensor(inner, tensor, at),
            ("storage", Value::Storage(storage)) => {
                self.same(&inner["dtype"], &Json::from(storage.dtype().name()), at);
                self.same_place(&inner["storage"], storage.untyped(), at);
            }
            ("sparse_coo", Value::Sparse(sparse)) => {
                let raw = sparse.raw();
                self.same(&inner["shape"], &Json::from(raw.sizes()), at);
                self.same(&inner["coalesced"], &Json::from(raw.is_coalesced()), at);
                self.elements(&inner["indices"]["tensor"], raw.raw_indices(), at);
                self.elements(&inner["values"]["tensor"], raw.raw_values(), at);
            }
            _ => match plain(found) {
                Some(found) => self.same(expected, &found, at),
                None => self.say(at, format!("expected {}, got a {}", short(expected), found.kind())),
            },
        }
    }

    fn sequence<'a>(&mut self, expected: &Json, found: impl ExactSizeIterator<Item = &'a Value>, at: &str) {
        let expected = expected.as_array().map_or(&[][..], Vec::as_slice);
        if expected.len() != found.len() {
            return self.say(at, format!("expected {} items, got {}", expected.len(), found.len()));
        }
        for (place, (expected, found)) in expected.iter().zip(found).enumerate() {
            self.node(expected, found, &format!("{at}[{place}]"));
        }
    }

    fn dict(&mut self, expected: &Json, dict: &Dict, at: &str) {
        let mut expected: Vec<&Json> = expected.as_array().into_iter().flatten().collect();
        let mut found: Vec<&(Value, Value)> = dict.iter().collect();
        if self.sorted {
            expected.sort_by_key(|pair| pair[0]["str"].as_str());
            found.sort_by_key(|(key, _)| if let Value::Str(name) = key { Some(name.clone()) } else { None });
        }
        if expected.len() != found.len() {
            return self.say(at, format!("expected {} entries, got {}", expected.len(), found.len()));
        }
        for (pair, (key, value)) in expected.into_iter().zip(found) {
            self.node(&pair[0], key, &format!("a key of {at}"));
            self.node(&pair[1], value, &format!("{at}[{}]", short(&pair[0])));
        }
    }

    fn attributes(&mut self, expected: &Json, found: Option<&Dict>, at: &str) {
        let found = found.map_or(Value::None, |dict| Value::Dict(dict.clone()));
        self.node(expected, &found, &format!("{at}.attrs"));
    }

    fn tensor(&mut self, expected: &Json, found: &SavedTensor, at: &str) {
        let (raw, marks) = (found.tensor().raw(), found.marks());
        self.elements(expected, raw, at);
        let flag = |name: &str| expected[name] == true;
        for (name, found) in [("requires_grad", marks.requires_grad), ("parameter", marks.is_parameter)] {
            if flag(name) != found {
                self.say(at, format!("{name}: expected {}, got {found}", flag(name)));
            }
        }
        self.attributes(&expected["attrs"], marks.attributes.as_ref(), at);
        // latten carries flags out, which gives the tensor a storage of its own.
        if flag("conj") || flag("neg") || expected.get("storage").is_none() || !self.layout {
            return;
        }
        if raw.numel() > 0 {
            let matters = |(place, _): &(usize, &usize)| raw.sizes()[*place] != 1;
            let differs = |(place, stride): (usize, &usize)| expected["strides"][place] != *stride;
            if raw.strides().iter().enumerate().filter(matters).any(differs) {
                self.say(at, format!("strides: expected {}, got {:?}", expected["strides"], raw.strides()));
            }
            if self.exact && expected["offset"] != raw.storage_offset() {
                self.say(at, format!("offset: expected {}, got {}", expected["offset"], raw.storage_offset()));
            }
        }
        if self.exact {
            self.same_place(&expected["storage"], raw.storage(), at);
        }
    }

    /// dtype, shape, and the elements in row-major order.
    fn elements(&mut self, expected: &Json, raw: &RawTensor, at: &str) {
        self.same(&expected["dtype"], &Json::from(raw.dtype().name()), at);
        if expected["shape"] != Json::from(raw.sizes()) {
            return self.say(at, format!("shape: expected {}, got {:?}", expected["shape"], raw.sizes()));
        }
        if expected["device"] == "meta" || raw.is_meta() {
            return self.same(&expected["device"], &Json::from(raw.device().to_string()), at);
        }
        match (expected["data"].as_str().and_then(decode), logical_bytes(raw)) {
            (Some(expected), Ok(found)) if expected == found => {}
            (Some(expected), Ok(found)) => {
                let place = expected.iter().zip(&found).position(|(a, b)| a != b);
                self.say(at, format!("other elements, from byte {place:?} on ({} and {} bytes)", expected.len(), found.len()));
            }
            (None, _) => self.say(at, "the expected elements can't be read"),
            (_, Err(error)) => self.say(at, error),
        }
    }

    fn same_place(&mut self, expected: &Json, found: &UntypedStorage, at: &str) {
        let Some(place) = expected.as_u64().and_then(|place| usize::try_from(place).ok()) else {
            return self.say(at, "no storage is expected");
        };
        let known = self.found.iter().find(|(storage, _)| storage.is_same(found)).map(|(_, place)| *place);
        let (number, is_new) = (known.unwrap_or(place), known.is_none() && !self.places.contains_key(&place));
        if is_new {
            self.found.push((found.clone(), place));
            self.places.insert(place, place);
            let (nbytes, data) = (&self.table[place]["nbytes"], self.table[place]["data"].as_str().and_then(decode));
            if *nbytes != found.nbytes() || data != found.tolist().ok() {
                self.say(at, format!("its storage has other bytes ({}, expected {nbytes})", found.nbytes()));
            }
        } else if known.is_none() || number != place {
            self.say(at, "shares its storage with other tensors than expected");
        }
    }

    fn gguf(&mut self, expected: &Json, archive: &Archive) {
        let Some(header) = &archive.gguf else { return self.say("gguf", "no header of GGUF") };
        self.same(&expected["version"], &Json::from(header.version), "version");
        let metadata: Vec<Json> =
            header.metadata.iter().map(|(key, datum)| serde_json::json!([key, datum.kind(), datum_json(datum)])).collect();
        self.same(&expected["metadata"], &Json::from(metadata), "metadata");
        let tensors = expected["tensors"].as_array().map_or(&[][..], Vec::as_slice);
        if tensors.len() != header.tensors.len() {
            return self.say("tensors", format!("expected {}, got {}", tensors.len(), header.tensors.len()));
        }
        for (pair, info) in tensors.iter().zip(&header.tensors) {
            self.same(&pair[0], &Json::from(info.name.as_str()), "a name");
            let from = pair[1]["tensor"]["from"].as_str();
            if from.is_some_and(|from| from != info.kind.name()) {
                self.say(&info.name, format!("expected {from:?}, got {}", info.kind.name()));
            }
            match archive.get::<Value>(&info.name) {
                Ok(Value::Tensor(tensor)) => self.elements(&pair[1]["tensor"], tensor.tensor().raw(), &info.name),
                Ok(other) => self.say(&info.name, format!("a {}", other.kind())),
                Err(error) => self.say(&info.name, error.message()),
            }
        }
    }
}

fn name_of(kind: DictKind) -> &'static str {
    match kind {
        DictKind::Plain => "dict",
        DictKind::Ordered => "ordered_dict",
        DictKind::Counter => "counter",
    }
}

/// The elements in row-major order, walked over the storage's bytes without help from the library under test.
fn logical_bytes(raw: &RawTensor) -> Result<Vec<u8>, String> {
    if raw.numel() == 0 {
        return Ok(Vec::new());
    }
    let bytes = raw.storage().tolist().map_err(|error| error.to_string())?;
    let (sizes, strides, itemsize) = (raw.sizes(), raw.strides(), raw.dtype().itemsize());
    let mut index = vec![0; sizes.len()];
    let mut elements = Vec::with_capacity(raw.numel() * itemsize);
    loop {
        let place = index.iter().zip(strides).map(|(at, stride)| at * stride).sum::<usize>() + raw.storage_offset();
        let element = bytes.get(place * itemsize..(place + 1) * itemsize).ok_or("an element beyond the storage")?;
        elements.extend_from_slice(element);
        let Some(dimension) = (0..sizes.len()).rev().find(|&dimension| index[dimension] + 1 < sizes[dimension]) else {
            return Ok(elements);
        };
        index[dimension] += 1;
        index[dimension + 1..].fill(0);
    }
}

fn number(x: f64) -> Json {
    match x {
        x if x.is_nan() => "nan".into(),
        f64::INFINITY => "inf".into(),
        f64::NEG_INFINITY => "-inf".into(),
        x => x.into(),
    }
}

/// Integers beyond what every JSON reader keeps are text.
fn integer(x: i128) -> Json {
    const LARGEST: i128 = 1 << 53;
    match i64::try_from(x) {
        Ok(small) if x.abs() <= LARGEST => small.into(),
        _ => x.to_string().into(),
    }
}

/// The tree of a value without parts that need the table of storages; none for others.
fn plain(value: &Value) -> Option<Json> {
    use serde_json::json;
    Some(match value {
        Value::None => Json::Null,
        Value::Bool(truth) => json!({ "bool": truth }),
        Value::Int(number) => json!({ "int": integer((*number).into()) }),
        Value::Float(float) => json!({ "float": number(*float) }),
        Value::Complex(complex) => json!({ "complex": [number(complex.re), number(complex.im)] }),
        Value::Str(text) => json!({ "str": &**text }),
        Value::Bytes(bytes) => json!({ "bytes": crate::bytes::encode(bytes) }),
        Value::ByteArray(bytes) => json!({ "bytearray": crate::bytes::encode(bytes) }),
        Value::Size(sizes) => json!({ "size": &**sizes }),
        Value::DType(dtype) => json!({ "dtype": dtype.name() }),
        Value::Device(device) => json!({ "device": device.to_string() }),
        Value::Layout(layout) => json!({ "layout": layout.to_string().trim_start_matches("torch.") }),
        Value::Tuple(items) => json!({ "tuple": items.iter().map(plain).collect::<Option<Vec<_>>>()? }),
        _ => return None,
    })
}

fn datum_json(datum: &Datum) -> Json {
    use serde_json::json;
    let int = |number: i128| json!({ "int": integer(number) });
    match datum {
        Datum::U8(x) => int((*x).into()),
        Datum::I8(x) => int((*x).into()),
        Datum::U16(x) => int((*x).into()),
        Datum::I16(x) => int((*x).into()),
        Datum::U32(x) => int((*x).into()),
        Datum::I32(x) => int((*x).into()),
        Datum::U64(x) => int((*x).into()),
        Datum::I64(x) => int((*x).into()),
        Datum::F32(x) => json!({ "float": number((*x).into()) }),
        Datum::F64(x) => json!({ "float": number(*x) }),
        Datum::Bool(x) => json!({ "bool": x }),
        Datum::String(x) => json!({ "str": x }),
        Datum::Array(array) => json!({ "list": array.values.iter().map(datum_json).collect::<Vec<_>>() }),
    }
}

/// A value as Python's json writes it, by whose order sets are compared.
fn python_json(value: &Value) -> String {
    plain(value).map_or(String::new(), |tree| tree.to_string().replace("\":", "\": ").replace(',', ", "))
}

fn short(json: &Json) -> String {
    let text = json.to_string();
    if text.chars().count() < 90 { text } else { text.chars().take(86).collect::<String>() + " …" }
}
