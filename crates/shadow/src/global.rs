//! Globals with their initial values, as structs of words and addresses that lie as the IR lays them out.

use std::fmt::Write as _;

use labrys_program::{Constant, Global, GlobalId, Type};
use num_traits::ToPrimitive;

use crate::error::Reason;
use crate::module::Module;

/// The largest initial value in bytes that is written out.
const MAX_INITIAL: u64 = 1 << 24;

/// The bytes of an initial value and the addresses in it.
struct Image {
    bytes: Vec<u8>,
    /// Offset and expression, by offset.
    addresses: Vec<(usize, String)>,
}

impl Module<'_> {
    /// Declaration and definition of a global.
    pub(crate) fn global_text(&mut self, id: GlobalId) -> Result<(String, String), Reason> {
        let program = self.program;
        let global = &program.globals[id.index()];
        let name = format!("g{}", id.0);
        let align = global.align.max(1);
        let Some(initializer) = &global.initializer else {
            return Ok((format!("extern char {name}[] __asm__({:?});\n", global.name), String::new()));
        };
        let constant = if global.is_constant { "const " } else { "" };
        let attribute = format!("__attribute__((aligned({align}), used))");
        if matches!(initializer, Constant::Zero(_) | Constant::Undef(_) | Constant::Poison(_)) {
            let head = format!("static {constant}char {name}[{}] {attribute};\n", global.size.max(1));
            return Ok((head, String::new()));
        }
        let image = self.image(global, initializer)?;
        let (members, values) = members(&image);
        let ty = format!("struct T{}", id.0);
        let head =
            format!("{ty} {{ {members} }} __attribute__((packed));\nstatic {constant}{ty} {name} {attribute};\n");
        Ok((head, format!("static {constant}{ty} {name} {attribute} = {{ {values} }};\n")))
    }

    fn image(&mut self, global: &Global, initializer: &Constant) -> Result<Image, Reason> {
        let size = global.size.max(global.ty.store_size());
        if size > MAX_INITIAL {
            return Err("a global of many megabytes".into());
        }
        let mut image = Image { bytes: vec![0; size.max(1) as usize], addresses: Vec::new() };
        self.initialise(&mut image, 0, &global.ty, initializer)?;
        image.addresses.sort();
        Ok(image)
    }

    /// Writes a constant of type `ty` at an offset.
    fn initialise(&mut self, image: &mut Image, at: u64, ty: &Type, constant: &Constant) -> Result<(), Reason> {
        let mut write = |bits: u128, size: u64| {
            let (from, count) = (at as usize, size.min(16) as usize);
            match image.bytes.get_mut(from..from + count) {
                Some(bytes) => {
                    bytes.copy_from_slice(&bits.to_le_bytes()[..count]);
                    Ok(())
                }
                None => Err(Reason::from("an initial value beyond its global")),
            }
        };
        match (constant, ty) {
            (Constant::Zero(_) | Constant::Undef(_) | Constant::Poison(_) | Constant::Null, _) => Ok(()),
            (Constant::Int { value, .. }, _) => write(value.to_u128().unwrap_or_default(), ty.store_size()),
            (Constant::Float(float), _) => write(float.to_u128().unwrap_or_default(), ty.store_size()),
            (Constant::Aggregate(_, members), Type::Struct(layout)) => {
                for ((member, field), offset) in members.iter().zip(&layout.fields).zip(&layout.offsets) {
                    self.initialise(image, at + offset, field, member)?;
                }
                Ok(())
            }
            (Constant::Aggregate(_, members), Type::Array(element, _)) => {
                for (index, member) in members.iter().enumerate() {
                    self.initialise(image, at + index as u64 * element.alloc_size(), element, member)?;
                }
                Ok(())
            }
            (Constant::Aggregate(_, members), Type::Vector(element, _)) => {
                if element.store_size() * 8 != bits_of(element) {
                    return Err("vectors of bits in memory".into());
                }
                for (index, member) in members.iter().enumerate() {
                    self.initialise(image, at + index as u64 * element.store_size(), element, member)?;
                }
                Ok(())
            }
            (Constant::Address(address), _) => write(u128::from(*address), ty.store_size()),
            (Constant::Global(..) | Constant::Function(_), _) => {
                let value = self.constant(constant)?.into_iter().next().unwrap_or_default();
                image.addresses.push((at as usize, value));
                Ok(())
            }
            (Constant::GlobalAddress(..), _) => Err("the address of a global as a number in another".into()),
            (Constant::Aggregate(..), _) => Err("an initial value of another shape".into()),
            (Constant::Unsupported(_, what), _) => Err(Reason::new(format!("the constant {what}"))),
        }
    }
}

fn bits_of(ty: &Type) -> u64 {
    match ty {
        Type::Int(bits) => u64::from(*bits),
        other => 8 * other.store_size(),
    }
}

/// Members of the struct and their values: runs of words between addresses.
fn members(image: &Image) -> (String, String) {
    let (mut members, mut values, mut at) = (String::new(), String::new(), 0);
    let ends = image.addresses.iter().map(|(offset, _)| *offset).chain([image.bytes.len()]);
    let addresses = image.addresses.iter().map(|(_, value)| Some(value)).chain([None]);
    for (index, (end, address)) in ends.zip(addresses).enumerate() {
        let run = image.bytes.get(at..end).unwrap_or_default();
        let (words, bytes) = run.split_at(run.len() / 8 * 8);
        if !words.is_empty() {
            let _ = write!(members, "uint64_t w{index}[{}]; ", words.len() / 8);
            values.push_str("{ ");
            for word in words.chunks_exact(8) {
                let mut number = [0; 8];
                number.copy_from_slice(word);
                let _ = write!(values, "{}u, ", u64::from_le_bytes(number));
            }
            values.push_str("}, ");
        }
        if !bytes.is_empty() {
            let _ = write!(members, "uint8_t b{index}[{}]; ", bytes.len());
            let _ = write!(values, "{{ {} }}, ", bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", "));
        }
        if let Some(address) = address {
            let _ = write!(members, "P p{index}; ");
            let _ = write!(values, "{address}, ");
            at = end + 8;
        }
    }
    (members, values)
}
