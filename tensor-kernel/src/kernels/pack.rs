//! Packs: compiled modules one after the other, each with the keys that its kernels are looked for by and a hash of all that. What isn't
//! whole isn't used. Packs may be put one after the other.

/// What a module in a pack begins with; the hash of the rest follows.
const MAGIC: &[u8; 16] = b"latten pack 2\n\0\0";

/// FNV-1a of 128 bits: the same in every process.
pub fn hash(parts: &[&[u8]]) -> u128 {
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    for part in parts {
        // The length keeps the parts apart.
        for byte in (part.len() as u64).to_le_bytes().iter().chain(*part) {
            hash = (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }
    hash
}

/// What a kernel is looked for by: its text alone, and how it was compiled.
pub fn key(text: &str, fingerprint: &str) -> u128 {
    hash(&[text.as_bytes(), fingerprint.as_bytes()])
}

/// Adds a module, which has the kernels of some keys.
pub fn append(pack: &mut Vec<u8>, keys: &[u128], module: &[u8]) {
    let mut body = Vec::with_capacity(16 + 16 * keys.len() + module.len());
    body.extend_from_slice(&(keys.len() as u64).to_le_bytes());
    body.extend_from_slice(&(module.len() as u64).to_le_bytes());
    keys.iter().for_each(|key| body.extend_from_slice(&key.to_le_bytes()));
    body.extend_from_slice(module);
    pack.extend_from_slice(MAGIC);
    pack.extend_from_slice(&hash(&[&body]).to_le_bytes());
    pack.extend_from_slice(&body);
}

/// A module of a pack.
#[derive(Clone, Copy, Debug)]
pub struct Packed<'a> {
    hash: [u8; 16],
    body: &'a [u8],
    keys: &'a [u8],
    module: &'a [u8],
}

impl<'a> Packed<'a> {
    /// The first module of a pack, and what follows it.
    fn first(pack: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (hash, body) = pack.strip_prefix(MAGIC)?.split_first_chunk::<16>()?;
        let (keys, rest) = body.split_first_chunk::<8>()?;
        let (len, rest) = rest.split_first_chunk::<8>()?;
        let number = |bytes: &[u8; 8]| usize::try_from(u64::from_le_bytes(*bytes)).ok();
        let (keys, rest) = rest.split_at_checked(number(keys)?.checked_mul(16)?)?;
        let (module, rest) = rest.split_at_checked(number(len)?)?;
        let body = &body[..body.len() - rest.len()];
        Some((Self { hash: *hash, body, keys, module }, rest))
    }

    /// What its kernels are looked for by.
    pub fn keys(self) -> impl Iterator<Item = u128> + 'a {
        self.keys.as_chunks::<16>().0.iter().map(|key| u128::from_le_bytes(*key))
    }

    /// The module, where all of it is as it was written.
    pub fn module(self) -> Option<&'a [u8]> {
        (hash(&[self.body]).to_le_bytes() == self.hash).then_some(self.module)
    }
}

/// The modules of a pack, up to the first that isn't one.
pub fn modules(pack: &[u8]) -> impl Iterator<Item = Packed<'_>> {
    let mut rest = pack;
    std::iter::from_fn(move || {
        let (first, behind) = Packed::first(rest)?;
        rest = behind;
        Some(first)
    })
}

#[cfg(test)]
mod tests {
    use super::{append, modules};

    #[test]
    fn a_pack_gives_what_was_put_in_and_nothing_spoilt() {
        let mut pack = Vec::new();
        append(&mut pack, &[1, 2], b"two");
        append(&mut pack, &[3], b"");
        let read = |pack: &[u8]| -> Vec<(Vec<u128>, Option<Vec<u8>>)> {
            modules(pack).map(|packed| (packed.keys().collect(), packed.module().map(<[u8]>::to_vec))).collect()
        };
        let whole = [(vec![1, 2], Some(b"two".to_vec())), (vec![3], Some(Vec::new()))];
        assert_eq!(read(&pack), whole);
        for end in 0..pack.len() {
            let found = read(&pack[..end]);
            assert!(found.len() < 2 && found.iter().zip(&whole).all(|(found, whole)| found == whole), "{end} of {} bytes", pack.len());
        }
        for at in 0..pack.len() {
            let mut spoilt = pack.clone();
            spoilt[at] ^= 1;
            let found = read(&spoilt);
            let good = found.iter().filter(|(_, module)| module.is_some()).count();
            assert!(good < 2, "byte {at}");
        }
    }
}
