//! Memory: shadows of the floats in it.
//!
//! **Claim.** A float that is loaded has the shadow with which it was stored by the same call, or by the initialiser, or it is its
//! own shadow. **Argument.** A table keyed by address (a bucket of two for each eight bytes, by a hash) holds the stored bits
//! beside the shadow, mixed with the call's number, as nsan of LLVM's validates its shadow memory. Where the bits found in memory
//! are others, somebody else wrote them, and they are their own shadow. Every store of a float renews the entry or removes
//! it; copies carry entries and remove those of what is overwritten; fills and stores of integers remove them. Entries of
//! earlier calls do not count: an input that happens to lie where an earlier call stored the same bits is exact.
//!
//! **What it may miss.** Code without a shadow that writes bits equal to those that were there, and a bucket that is full, which
//! is marked ([`crate::ShadowMarks::forgotten`]). Floats at addresses that are no multiple of four bytes are not carried by
//! copies of bytes.

use std::fmt::Write as _;

use labrys_program::{Constant, Operand, Type};
use num_traits::ToPrimitive;

use crate::cast::{load_word, store_word};
use crate::error::{Reason, Scalars};
use crate::function::Writer;
use crate::kind::{Kind, in_memory};

/// The largest fixed stack variable in bytes; a call's stack has some megabytes.
const MAX_LOCAL: u64 = 1 << 22;

impl Writer<'_, '_> {
    /// Stack memory.
    pub(crate) fn alloca(&mut self, ty: &Type, count: &Operand, align: u64) -> Scalars {
        let size = ty.alloc_size();
        if let Operand::Constant(Constant::Int { value, .. }) = count
            && self.is_entry()
        {
            let bytes = value.to_u64().and_then(|count| count.checked_mul(size)).filter(|bytes| *bytes <= MAX_LOCAL);
            let bytes = bytes.ok_or("a local variable of megabytes")?;
            return Ok(vec![self.buffer(bytes, align)]);
        }
        let count = self.scalar(count)?;
        let bits = 8 * align.clamp(1, 4096);
        Ok(vec![format!("(P)__builtin_alloca_with_align((uint64_t){count} * {size}u, {bits})")])
    }

    /// `load`.
    pub(crate) fn load(&mut self, pointer: &Operand, ty: &Type) -> Scalars {
        self.module.operations += 1;
        let is_constant = self.is_constant(pointer);
        let address = self.scalar(pointer)?;
        let places = in_memory(ty)?;
        Ok(places
            .iter()
            .map(|place| {
                let address = at(&address, place.offset);
                match place.kind {
                    Kind::Float(own) if is_constant => format!("{}({address})", own.function("load_constant")),
                    Kind::Float(own) => format!("{}({address})", own.function("load")),
                    kind => load_word(&address, kind),
                }
            })
            .collect())
    }

    /// `store`.
    pub(crate) fn store(&mut self, value: &Operand, ty: &Type, pointer: &Operand) -> Scalars {
        let address = self.scalar(pointer)?;
        let values = self.operand(value)?;
        for (value, place) in values.iter().zip(in_memory(ty)?) {
            let address = at(&address, place.offset);
            self.store_scalar(&address, place.kind, value);
        }
        Ok(Vec::new())
    }

    /// One scalar to memory.
    pub(crate) fn store_scalar(&mut self, address: &str, kind: Kind, value: &str) {
        match kind {
            Kind::Float(own) => {
                self.module.operations += 1;
                self.line(&format!("{}({address}, {value});", own.function("store")));
            }
            kind => {
                self.line(&store_word(address, kind, value));
                match kind {
                    Kind::Int(32) => self.line(&format!("forget({address});")),
                    Kind::Int(64 | 128) => self.line(&format!("forget_word({address});")),
                    _ => {}
                }
            }
        }
    }

    /// Whether an address is one of a constant's, whose floats are their own shadows.
    fn is_constant(&self, pointer: &Operand) -> bool {
        let Operand::Constant(Constant::Global(global, _)) = pointer else { return false };
        self.module.program.globals.get(global.index()).is_some_and(|global| global.is_constant)
    }

    /// Address arithmetic, lane by lane where the result is a vector.
    pub(crate) fn pointer_offset(
        &mut self,
        base: &Operand,
        offset: i64,
        scaled: &[(Operand, i64)],
        ty: &Type,
    ) -> Scalars {
        let lanes = match ty {
            Type::Vector(_, count) => *count as usize,
            _ => 1,
        };
        let bases = self.operand(base)?;
        let mut indices = Vec::new();
        for (index, scale) in scaled {
            indices.push((self.operand(index)?, self.width(index)?, *scale));
        }
        // A scalar stands for every lane.
        let lane_of = |scalars: &[String], lane: usize| -> Result<String, Reason> {
            let scalar = if scalars.len() == 1 { scalars.first() } else { scalars.get(lane) };
            scalar.cloned().ok_or_else(|| "an address without its lane".into())
        };
        (0..lanes)
            .map(|lane| {
                let mut text = format!("{} + ({offset}", lane_of(&bases, lane)?);
                for (index, bits, scale) in &indices {
                    let index = crate::module::signed(*bits, &lane_of(index, lane)?);
                    let _ = write!(text, " + (int64_t){index} * {scale}l");
                }
                text.push(')');
                Ok(text)
            })
            .collect()
    }

    /// `memcpy`, `memmove`.
    pub(crate) fn copy(&mut self, to: &str, from: &str, length: &str) {
        self.line(&format!("copy_bytes({to}, {from}, (size_t){length});"));
    }

    /// `memset`.
    pub(crate) fn fill(&mut self, to: &str, byte: &str, length: &str) {
        self.line(&format!("fill_bytes({to}, (int)(uint8_t){byte}, (size_t){length});"));
    }

    /// The lanes of a masked load or gather: the address first, the mask and what is passed through last.
    pub(crate) fn masked_load(&mut self, operands: &[Operand], ty: &Type) -> Scalars {
        let [address, .., mask, passed] = operands else { return Err("a masked load without its operands".into()) };
        let (addresses, mask, passed) = (self.operand(address)?, self.operand(mask)?, self.operand(passed)?);
        let places = in_memory(ty)?;
        let mut lanes = Vec::new();
        for (lane, place) in places.iter().enumerate() {
            let address = lane_address(&addresses, lane, place.offset)?;
            let loaded = match place.kind {
                Kind::Float(own) => format!("{}({address})", own.function("load")),
                kind => load_word(&address, kind),
            };
            let (bit, other) = mask.get(lane).zip(passed.get(lane)).ok_or("a masked load without its lane")?;
            let variable = self.temporary(&place.kind.c_type(), other);
            self.line(&format!("if ({bit}) {variable} = {loaded};"));
            lanes.push(variable);
        }
        Ok(lanes)
    }

    /// The lanes of a masked store or scatter: value and address first, the mask last.
    pub(crate) fn masked_store(&mut self, operands: &[Operand]) -> Scalars {
        let [value, address, .., mask] = operands else { return Err("a masked store without its operands".into()) };
        let places = in_memory(&self.type_of(value)?)?;
        let (values, addresses, mask) = (self.operand(value)?, self.operand(address)?, self.operand(mask)?);
        for (lane, place) in places.iter().enumerate() {
            let address = lane_address(&addresses, lane, place.offset)?;
            let (bit, value) = mask.get(lane).zip(values.get(lane)).ok_or("a masked store without its lane")?;
            self.line(&format!("if ({bit}) {{"));
            self.store_scalar(&address, place.kind, value);
            self.line("}");
        }
        Ok(Vec::new())
    }
}

/// The address so many bytes behind another.
fn at(address: &str, offset: u64) -> String {
    if offset == 0 { format!("({address})") } else { format!("({address} + {offset})") }
}

/// The address of a lane: its own in a gather or scatter, its place behind the first lane's else.
fn lane_address(addresses: &[String], lane: usize, offset: u64) -> Result<String, Reason> {
    match addresses {
        [one] => Ok(at(one, offset)),
        _ => addresses.get(lane).cloned().ok_or_else(|| "an address without its lane".into()),
    }
}
