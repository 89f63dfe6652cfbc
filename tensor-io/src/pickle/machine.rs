//! The opcodes: a stack, marks and a memo. Every length is compared with the bytes that are left, every pop with the stack.

mod calls;

use std::cell::Cell;
use std::collections::HashMap;

use latten_core::error::Result;

use super::names::named;
use super::object::{Item, Key, Node, StorageId};
use crate::fault::{Within, broken, unsupported};
use crate::source::Cursor;

/// Tuples in a key nest no deeper.
const DEEPEST_KEY: usize = 8;
/// A key has no more parts.
const WIDEST_KEY: usize = 1000;
/// Three bytes can mention a list of a million values again. What is done with mentions is limited by the length of the pickle.
const WORK: u64 = 1 << 20;
const WORK_TIMES: u64 = 64;

/// What a pickle has built.
#[derive(Debug, Default)]
pub(crate) struct Machine {
    pub(crate) nodes: Vec<Node>,
    pub(crate) storages: Vec<StorageId>,
    /// Where a storage of a key, a dtype and a part already is.
    known_storages: HashMap<StorageId, usize>,
    stack: Vec<Item>,
    marks: Vec<usize>,
    memo: HashMap<u32, Item>,
    /// How many values may still be copied or hashed.
    work: Cell<u64>,
}

/// Runs one pickle; the cursor stands after it afterwards.
pub(crate) fn run(cursor: &mut Cursor<'_>) -> Result<(Machine, Item)> {
    let work = WORK + WORK_TIMES * cursor.rest().len() as u64;
    let mut machine = Machine { work: Cell::new(work), ..Machine::default() };
    loop {
        let at = cursor.at();
        let opcode = cursor.byte().map_err(|_| broken("the pickle has no end"))?;
        if opcode == b'.' {
            let value = machine.pop().within(format_args!("at byte {at}"))?;
            (machine.stack, machine.marks, machine.memo) = Default::default();
            return Ok((machine, value));
        }
        machine.step(opcode, cursor).within(format_args!("at byte {at}"))?;
    }
}

impl Machine {
    fn step(&mut self, opcode: u8, cursor: &mut Cursor<'_>) -> Result<()> {
        let item = match opcode {
            0x80 => return protocol(cursor.byte()?),
            b'N' => Item::None,
            0x88 => Item::Bool(true),
            0x89 => Item::Bool(false),
            b'K' => Item::Int(cursor.byte()?.into()),
            b'M' => Item::Int(cursor.u16()?.into()),
            b'J' => Item::Int(cursor.array().map(i32::from_le_bytes)?.into()),
            0x8a => {
                let size = cursor.byte()?;
                long(cursor.take(size.into())?)
            }
            b'G' => Item::Float(cursor.array().map(f64::from_be_bytes)?),
            b'X' => {
                let size = cursor.u32()? as usize;
                text(cursor.take(size)?)?
            }
            b'U' => {
                let size = cursor.byte()?;
                text(cursor.take(size.into())?)?
            }
            b'c' => Item::Name(named(line(cursor)?, line(cursor)?)?),
            b'h' => self.remembered(cursor.byte()?.into())?,
            b'j' => self.remembered(cursor.u32()?)?,
            b'q' => return self.remember(cursor.byte()?.into()),
            b'r' => return self.remember(cursor.u32()?),
            b'(' => {
                self.marks.push(self.stack.len());
                return Ok(());
            }
            b')' => self.node(Node::Tuple(Vec::new())),
            b']' => self.node(Node::List(Vec::new())),
            b'}' => self.node(Node::Dict(Box::default())),
            0x8f => self.node(Node::Set(Vec::new())),
            0x85..=0x87 => {
                let items = self.pop_many(usize::from(opcode - 0x84))?;
                self.node(Node::Tuple(items))
            }
            b't' => {
                let items = self.pop_mark()?;
                self.node(Node::Tuple(items))
            }
            b'a' => {
                let item = self.pop()?;
                return self.append(vec![item]);
            }
            b'e' => {
                let items = self.pop_mark()?;
                return self.append(items);
            }
            b's' => {
                let pair = self.pop_many(2)?;
                return self.set_items(pair);
            }
            b'u' => {
                let items = self.pop_mark()?;
                return self.set_items(items);
            }
            b'b' => return self.build(),
            b'R' | 0x81 => {
                let arguments = self.pop()?;
                let function = self.pop()?;
                self.call(&function, &arguments, opcode == 0x81)?
            }
            b'Q' => {
                let id = self.pop()?;
                self.storage(&id)?
            }
            other => return Err(unsupported(format!("Unsupported operand {other}: a file of tensors doesn't need this opcode"))),
        };
        self.stack.push(item);
        Ok(())
    }

    /// Counts values that are copied or hashed because a pickle mentions them.
    fn charge(&self, count: usize) -> Result<()> {
        match self.work.get().checked_sub(count as u64) {
            Some(left) => {
                self.work.set(left);
                Ok(())
            }
            None => Err(broken("it takes too much work for its length: the same values are used again and again")),
        }
    }

    fn node(&mut self, node: Node) -> Item {
        self.nodes.push(node);
        Item::Node(self.nodes.len() - 1)
    }

    /// What lies on the stack above the last mark belongs to an opcode; what lies below doesn't.
    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn pop(&mut self) -> Result<Item> {
        if self.stack.len() <= self.floor() {
            return Err(broken("the stack is empty"));
        }
        self.stack.pop().ok_or_else(|| broken("the stack is empty"))
    }

    fn pop_many(&mut self, count: usize) -> Result<Vec<Item>> {
        match self.stack.len().checked_sub(count).filter(|start| *start >= self.floor()) {
            Some(start) => Ok(self.stack.split_off(start)),
            None => Err(broken(format!("{count} values are expected on the stack"))),
        }
    }

    fn pop_mark(&mut self) -> Result<Vec<Item>> {
        let mark = self.marks.pop().ok_or_else(|| broken("there is no mark on the stack"))?;
        Ok(self.stack.split_off(mark))
    }

    fn top(&mut self) -> Result<Item> {
        let item = self.pop()?;
        self.stack.push(item.clone());
        Ok(item)
    }

    fn remember(&mut self, place: u32) -> Result<()> {
        let item = self.top()?;
        self.memo.insert(place, item);
        Ok(())
    }

    fn remembered(&self, place: u32) -> Result<Item> {
        self.memo.get(&place).cloned().ok_or_else(|| broken(format!("the memo has nothing at {place}")))
    }

    fn append(&mut self, items: Vec<Item>) -> Result<()> {
        let target = self.top()?;
        if let Item::Node(place) = &target
            && let Node::List(list) = &mut self.nodes[*place]
        {
            list.extend(items);
            return Ok(());
        }
        Err(broken(format!("values are appended to {}, which is no list", target.kind(&self.nodes))))
    }

    fn set_items(&mut self, items: Vec<Item>) -> Result<()> {
        let target = self.top()?;
        let Item::Node(place) = target else { return Err(broken(format!("entries of {}, which is no dict", target.kind(&self.nodes)))) };
        if !items.len().is_multiple_of(2) {
            return Err(broken("a key without a value"));
        }
        if !matches!(self.nodes[place], Node::Dict(_)) {
            return Err(broken(format!("entries of {}, which is no dict", self.nodes[place].kind())));
        }
        let mut items = items.into_iter();
        while let (Some(item), Some(value)) = (items.next(), items.next()) {
            let key = self.key(&item)?;
            if let Node::Dict(table) = &mut self.nodes[place] {
                table.set(key, item, value);
            }
        }
        Ok(())
    }

    /// What an item is as a key: scalars, and small tuples of them.
    fn key(&self, item: &Item) -> Result<Key> {
        let mut parts = 0;
        self.key_within(item, 0, &mut parts)
    }

    fn key_within(&self, item: &Item, depth: usize, parts: &mut usize) -> Result<Key> {
        *parts += 1;
        if depth > DEEPEST_KEY || *parts > WIDEST_KEY {
            return Err(unsupported("a key of many values"));
        }
        Ok(match item {
            Item::None => Key::None,
            Item::Bool(truth) => Key::Int((*truth).into()),
            Item::Int(number) => Key::Int(*number),
            Item::Float(number) => Key::of_float(*number),
            Item::Str(text) => {
                self.charge(text.len())?;
                Key::Str(text.clone())
            }
            Item::Node(place) => match &self.nodes[*place] {
                Node::Tuple(items) => {
                    self.charge(items.len())?;
                    Key::Tuple(items.iter().map(|item| self.key_within(item, depth + 1, parts)).collect::<Result<_>>()?)
                }
                Node::Bytes(bytes) => {
                    self.charge(bytes.len())?;
                    Key::Bytes(bytes.clone())
                }
                other => return Err(unsupported(format!("{} as a key", other.kind()))),
            },
            Item::Long(_) | Item::Name(_) => return Err(unsupported(format!("{} as a key", item.kind(&self.nodes)))),
        })
    }

    /// BUILD: attributes of an OrderedDict, and of nothing else.
    fn build(&mut self) -> Result<()> {
        let state = self.pop()?;
        let target = self.top()?;
        self.attributes(&state).within("BUILD")?;
        let is_dict = matches!(&state, Item::Node(place) if matches!(&self.nodes[*place], Node::Dict(_)));
        if let Item::Node(place) = target
            && let Node::Dict(table) = &mut self.nodes[place]
            && table.kind == crate::value::DictKind::Ordered
            && is_dict
        {
            table.attributes = Some(state);
            return Ok(());
        }
        let kinds = (state.kind(&self.nodes), target.kind(&self.nodes));
        Err(unsupported(format!("BUILD of {} with {}; attributes are read of OrderedDicts, by a dict", kinds.1, kinds.0)))
    }
}

fn protocol(version: u8) -> Result<()> {
    match version {
        2 | 3 => Ok(()),
        _ => Err(unsupported(format!("a pickle of protocol {version}; 2 and 3 are read, as PyTorch does"))),
    }
}

/// An integer of any length: two's complement, the least significant byte first.
fn long(bytes: &[u8]) -> Item {
    let sign = if bytes.last().is_some_and(|byte| byte & 0x80 != 0) { 0xff } else { 0 };
    let short = bytes.len() <= 8 || bytes[8..].iter().all(|byte| *byte == sign) && (bytes[7] ^ sign) & 0x80 == 0;
    if !short {
        return Item::Long(bytes.into());
    }
    let mut number = [sign; 8];
    number.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
    Item::Int(i64::from_le_bytes(number))
}

fn text(bytes: &[u8]) -> Result<Item> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Item::Str(text.into())),
        Err(error) => Err(broken(format!("a string that isn't UTF-8: {error}"))),
    }
}

/// A line of a GLOBAL.
fn line<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str> {
    let Some(length) = cursor.rest().iter().position(|byte| *byte == b'\n') else { return Err(broken("a name without an end")) };
    let text = cursor.take(length)?;
    cursor.take(1)?;
    std::str::from_utf8(text).map_err(|_| broken("a name that isn't UTF-8"))
}
