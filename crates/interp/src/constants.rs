//! Constants as values, and the globals that they initialise.

use labrys_float::Float;
use labrys_program::{Constant, GlobalId, Type};

use crate::machine::{MemoryOf, ScalarOf, ValueOf};
use crate::{
    Base, Datum, Domain, Int, Machine, Memory, ObjectId, ObjectKind, Pointer, Scalar, ScalarKind, State, Stop, cells,
    types,
};

impl<D: Domain> Machine<'_, D> {
    /// A constant as a value.
    pub(crate) fn constant(&mut self, constant: &Constant) -> Result<ValueOf<D>, Stop> {
        let mut value = ValueOf::<D>::new();
        self.push_constant(constant, &mut value)?;
        Ok(value)
    }

    fn push_constant(&mut self, constant: &Constant, value: &mut ValueOf<D>) -> Result<(), Stop> {
        match constant {
            Constant::Int { bits, value: number } => {
                ScalarKind::of(&Type::Int(*bits))?;
                value.push(Scalar::int(Int::number(*bits, number.clone())));
            }
            Constant::Float(float) => value.push(Scalar::float(self.domain.float_constant(float))),
            Constant::Null => value.push(Scalar::pointer(Pointer::null())),
            Constant::Zero(ty) => self.push_zeros(ty, false, value)?,
            Constant::Undef(ty) | Constant::Poison(ty) => self.push_zeros(ty, true, value)?,
            Constant::Aggregate(_, members) => {
                for member in members {
                    self.push_constant(member, value)?;
                }
            }
            Constant::Global(id, offset) | Constant::GlobalAddress(id, offset) => {
                let mut pointer = self.initial().pointer_to(object_of(*id));
                pointer.offset = Int::new(64, *offset as u128);
                value.push(match constant {
                    Constant::GlobalAddress(..) => Scalar::int(cells::address(&mut self.domain, &pointer)),
                    _ => Scalar::pointer(pointer),
                });
            }
            Constant::Function(id) => value.push(Scalar::pointer(Pointer::new(Base::Function(*id), 0))),
            Constant::Address(address) => value.push(Scalar::pointer(Pointer::new(Base::Absolute, *address))),
            Constant::Unsupported(_, what) => return Err(Stop::unsupported(format!("constant {what}"))),
        }
        Ok(())
    }

    fn push_zeros(&mut self, ty: &Type, tainted: bool, value: &mut ValueOf<D>) -> Result<(), Stop> {
        for (_, kind) in types::scalars(ty)? {
            value.push(self.zero(kind).taint(tainted));
        }
        Ok(())
    }

    /// The zero of a scalar type.
    pub(crate) fn zero(&mut self, kind: ScalarKind) -> ScalarOf<D> {
        let datum = match kind {
            ScalarKind::Int(bits) => Datum::Int(Int::new(bits, 0)),
            ScalarKind::Float(format) => Datum::Float(self.domain.float_constant(&Float::from_bits(format, 0u8))),
            ScalarKind::Pointer => Datum::Pointer(Pointer::null()),
        };
        Scalar { datum, tainted: false }
    }

    /// Memory with every global, the object of global n being `ObjectId(n)`. What an initialiser holds that is not
    /// understood stays uninitialised.
    pub(crate) fn globals(&mut self) -> MemoryOf<D> {
        let program = self.program;
        let mut memory = Memory::exact(self.checks.accesses);
        for global in &program.globals {
            let fill = match &global.initializer {
                Some(Constant::Zero(_)) => Some(0),
                _ => None,
            };
            memory.allocate(global.size, global.align, ObjectKind::Global, fill);
        }
        // Initialisers may point at any global, so all must have their addresses first.
        self.set_initial(memory);
        let mut memory = self.initial().clone();
        for (index, global) in program.globals.iter().enumerate() {
            let id = ObjectId(index as u32);
            match &global.initializer {
                Some(Constant::Zero(_)) | None => {}
                Some(initializer) => self.initialise(&mut memory, id, 0, &global.ty, initializer),
            }
            if global.is_constant {
                memory.set_constant(id);
            }
            if global.initializer.is_none() {
                memory.set_open(id);
            }
        }
        memory
    }

    /// Gives globals that constructors may change the values that they have before these run.
    pub fn construct(&mut self, state: &mut State<D>) {
        let program = self.program;
        for (id, constant) in &program.constructed {
            let Some(global) = program.globals.get(id.index()) else { continue };
            let object = object_of(*id);
            self.initialise(&mut state.memory, object, 0, &global.ty, constant);
            state.memory.set_closed(object);
        }
    }

    /// Writes a constant of type `ty` at `offset` of a global.
    fn initialise(&mut self, memory: &mut MemoryOf<D>, id: ObjectId, offset: u64, ty: &Type, constant: &Constant) {
        match (constant, ty) {
            (Constant::Zero(_), _) => {
                let size = ty.store_size();
                if memory.check(id, offset, size, false).is_ok() {
                    memory.fill(&mut self.domain, id, offset, size, 0);
                }
            }
            (Constant::Aggregate(_, members), Type::Struct(layout)) => {
                for ((member, field), at) in members.iter().zip(&layout.fields).zip(&layout.offsets) {
                    self.initialise(memory, id, offset + at, field, member);
                }
            }
            (Constant::Aggregate(_, members), Type::Array(element, _)) => {
                for (i, member) in members.iter().enumerate() {
                    self.initialise(memory, id, offset + i as u64 * element.alloc_size(), element, member);
                }
            }
            _ => {
                let (Ok(value), Ok(places)) = (self.constant(constant), types::scalars(ty)) else { return };
                for (scalar, (at, kind)) in value.into_iter().zip(places) {
                    if memory.check(id, offset + at, kind.size(), false).is_ok() {
                        memory.store(&mut self.domain, id, offset + at, kind.size(), scalar);
                    }
                }
            }
        }
    }
}

/// The object of a global.
fn object_of(global: GlobalId) -> ObjectId {
    ObjectId(global.0)
}
