//! Files as PyTorch wrote them before 1.6: five pickles one after the other, and then the bytes of each storage.

use std::collections::HashMap;
use std::rc::Rc;

use latten_core::error::Result;

use super::build;
use crate::fault::{Within, broken, unsupported};
use crate::options::Load;
use crate::pickle::machine::run;
use crate::pickle::object::{Item, Node};
use crate::source::{Cursor, Source};
use crate::storages::{Part, fetch};
use crate::value::Value;

/// The number that such files begin with, as its bytes, and the version of the format.
const MAGIC: [u8; 10] = [0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];
const PROTOCOL: i64 = 1001;
/// The bytes before each storage: how many elements it has.
const COUNT: u64 = 8;
/// Pickles are first looked for in that many bytes; where they don't end there, in more.
const FIRST: u64 = 1 << 20;

pub(super) fn load(source: &Source<'_>, load: &Load<'_>) -> Result<Value> {
    if source.map.is_some() {
        return Err(unsupported("mmap can only be used with files saved as archives: this one is of before 1.6"));
    }
    let mut size = FIRST.min(source.len());
    loop {
        // The pickles have no length before them. Reading again what has grown eight times costs a seventh more.
        let bytes = source.bytes(0, size)?;
        match pickles(&bytes) {
            Ok(read) => return finish(source, load, read),
            Err(_) if size < source.len() => size = size.saturating_mul(8).min(source.len()),
            Err(error) => return Err(error),
        }
    }
}

/// The value, the keys in the order of the bytes, and where these begin.
struct Pickles {
    machine: crate::pickle::machine::Machine,
    value: Item,
    keys: Vec<Rc<str>>,
    end: u64,
}

fn pickles(bytes: &[u8]) -> Result<Pickles> {
    let mut cursor = Cursor::new(bytes);
    match run(&mut cursor).within("the first pickle")? {
        (_, Item::Long(magic)) if *magic == MAGIC => {}
        _ => return Err(broken("the first pickle isn't the number that PyTorch's files begin with")),
    }
    match run(&mut cursor).within("the second pickle")? {
        (_, Item::Int(PROTOCOL)) => {}
        _ => return Err(broken(format!("the second pickle isn't the version {PROTOCOL}"))),
    }
    run(&mut cursor).within("the pickle about the machine")?;
    let (machine, value) = run(&mut cursor).within("the pickle of values")?;
    let (list, keys) = run(&mut cursor).within("the pickle of keys")?;
    let Item::Node(place) = keys else { return Err(broken("the keys aren't a list")) };
    let Node::List(items) = &list.nodes[place] else { return Err(broken("the keys aren't a list")) };
    let text = |item: &Item| if let Item::Str(text) = item { Ok(text.clone()) } else { Err(broken("a key that is no text")) };
    let keys = items.iter().map(text).collect::<Result<_>>()?;
    Ok(Pickles { machine, value, keys, end: cursor.at() as u64 })
}

fn finish(source: &Source<'_>, load: &Load<'_>, read: Pickles) -> Result<Value> {
    let Pickles { machine, value, keys, end } = read;
    let mut whole: HashMap<&str, (u64, usize)> = HashMap::new();
    for id in &machine.storages {
        let known = whole.insert(&id.key, (id.whole, id.dtype.itemsize()));
        if known.is_some_and(|known| known != (id.whole, id.dtype.itemsize())) {
            return Err(broken(format!("storage {}: it is said to be of two sizes", id.key)));
        }
    }
    let (mut parts, mut places, mut at) = (Vec::new(), HashMap::new(), end);
    for key in &keys {
        let Some((nbytes, itemsize)) = whole.get(&**key) else { return Err(broken(format!("storage {key}: no tensor has it"))) };
        if places.insert(key.clone(), parts.len()).is_some() {
            return Err(broken(format!("storage {key}: its bytes come twice")));
        }
        let count = source.bytes(at, COUNT).within(key)?;
        let count = u64::from_le_bytes(count.try_into().unwrap_or_default());
        if count.checked_mul(*itemsize as u64) != Some(*nbytes) {
            return Err(broken(format!(
                "storage {key}: {count} elements precede its bytes, but tensors say {}",
                nbytes / *itemsize as u64
            )));
        }
        if !source.has(at + COUNT, *nbytes) {
            return Err(broken(format!("storage {key}: its {nbytes} bytes at byte {} reach beyond the file", at + COUNT)));
        }
        let size = usize::try_from(*nbytes).map_err(|_| broken(format!("storage {key}: {nbytes} bytes are too many")))?;
        parts.push(Part::plain(format!("storage {key}"), at + COUNT, size));
        at += COUNT + nbytes;
    }
    if at != source.len() {
        return Err(broken(format!("the storages end at byte {at}, but the file has {}", source.len())));
    }
    let missing = machine.storages.iter().find(|id| !places.contains_key(&id.key));
    if let Some(id) = missing {
        return Err(broken(format!("storage {}: there are no bytes of it", id.key)));
    }
    let roots = fetch(source, load, &parts)?;
    let mut storages = Vec::with_capacity(machine.storages.len());
    for id in &machine.storages {
        let root = &roots[places[&id.key]];
        storages.push(match id.part {
            None => root.clone(),
            Some((first, count)) => {
                let (start, end) = (i64::try_from(first), i64::try_from(first + count));
                let (Ok(start), Ok(end)) = (start, end) else { return Err(broken("a part that is too large")) };
                root.slice(start..end)?
            }
        });
    }
    build::value(&machine, &value, &storages)
}
