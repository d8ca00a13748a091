//! The types in the source of the variables that a program makes inputs, and the names of those that get what it asks for.

use super::bodies::Body;
use super::loader::Loader;
use crate::llvm::{Metadata, TypeKind, Value};
use crate::variable_type::{basic, structure};
use crate::whole::{ASKING, NAMING};
use crate::{Pointee, ScalarType, StructField, ValueId, VariableType};

/// How deep structs nest: C compilers guarantee 63 levels; damaged debug information may have cycles.
const MAX_DEPTH: usize = 64;

/// Elements and members of a variable that are shown, at most; each member's type is read once for each place that it is at.
const MAX_MEMBERS: usize = 4096;

impl<'m> Loader<'m> {
    /// Those of a function that makes inputs of variables.
    pub(super) fn input_variables(&self, body: &Body<'m>, function: Value<'m>) -> Vec<(ValueId, VariableType)> {
        let makes_inputs = |of: Value<'m>| of.callee().is_some_and(|callee| callee.name() == NAMING);
        let mut instructions = function.blocks().flat_map(|block| block.instructions());
        if !self.makes_inputs || !instructions.any(makes_inputs) {
            return Vec::new();
        }
        let declared = self.declared_in_memory(function);
        let known = declared.iter().filter_map(|of| {
            let memory = body.values.get(&of.memory).copied()?;
            Some((memory, self.variable_type(of.variable)?))
        });
        known.collect()
    }

    /// The names of the variables of a function that asks for values.
    pub(super) fn input_names(&self, body: &Body<'m>, function: Value<'m>) -> Vec<(ValueId, String)> {
        let asks = |of: Value<'m>| of.callee().is_some_and(|callee| callee.name().starts_with(ASKING));
        if !function.blocks().flat_map(|block| block.instructions()).any(asks) {
            return Vec::new();
        }
        let declared = self.declared_in_memory(function);
        let named = declared.iter().filter_map(|of| {
            let memory = body.values.get(&of.memory).copied()?;
            Some((memory, of.variable.variable_name(self.module)?))
        });
        named.collect()
    }

    /// That of a global which the program may make an input.
    pub(super) fn global_variable_type(&self, global: Value<'m>) -> Option<VariableType> {
        if !self.makes_inputs || global.is_global_constant() {
            return None;
        }
        self.variable_type(global.global_variable()?)
    }

    fn variable_type(&self, variable: Metadata<'m>) -> Option<VariableType> {
        let ty = variable.variable_type(self.module)?.plain_type(self.module)?;
        let (of, dimensions) = self.array_elements(ty)?;
        let is_character = of.type_kind() == TypeKind::Basic && of.type_name() == "char" && of.type_bits() == 8;
        let element = self.memory_type(of, 0, &mut MAX_MEMBERS.clone())?;
        Some(VariableType { element, dimensions, is_character })
    }

    /// The type of an array's elements, and its dimensions; of what is no array itself and none.
    fn array_elements(&self, ty: Metadata<'m>) -> Option<(Metadata<'m>, Vec<u64>)> {
        let (mut ty, mut dimensions) = (ty, Vec::new());
        while ty.type_kind() == TypeKind::Array && dimensions.len() <= MAX_DEPTH {
            for dimension in ty.type_elements(self.module) {
                dimensions.push(dimension.dimension(self.module).filter(|count| *count > 0)?);
            }
            ty = ty.base_type(self.module)?.plain_type(self.module)?;
        }
        Some((ty, dimensions))
    }

    fn memory_type(&self, ty: Metadata<'m>, depth: usize, left: &mut usize) -> Option<Pointee> {
        *left = left.checked_sub(1).filter(|_| depth <= MAX_DEPTH)?;
        let bits = ty.type_bits();
        match ty.type_kind() {
            TypeKind::Basic => basic(&ty.type_name(), bits).map(Pointee::Scalar),
            TypeKind::Pointer if bits == 64 => Some(Pointee::Scalar(ScalarType::Int { bits: 64, signed: false })),
            TypeKind::Enumeration => match ty.base_type(self.module) {
                Some(base) => self.memory_type(base.plain_type(self.module)?, depth + 1, left),
                None => basic("unsigned int", bits).map(Pointee::Scalar),
            },
            kind @ (TypeKind::Struct | TypeKind::Union) => {
                let mut fields = Vec::new();
                for member in ty.type_elements(self.module) {
                    if member.is_member() {
                        fields.push(self.member(member, fields.len(), depth, left)?);
                    } else if member.is_base_class() {
                        return None;
                    }
                }
                if kind == TypeKind::Union {
                    let size = |field: &StructField| field.ty.size().saturating_mul(field.count);
                    let largest = fields.iter().map(size).max()?;
                    fields.retain(|field| size(field) == largest);
                    fields.truncate(1);
                }
                structure(ty.type_name(), bits / 8, fields)
            }
            _ => None,
        }
    }

    fn member(&self, member: Metadata<'m>, index: usize, depth: usize, left: &mut usize) -> Option<StructField> {
        if member.is_bit_field() {
            return None;
        }
        let name = Some(member.type_name()).filter(|name| !name.is_empty()).unwrap_or_else(|| format!("_{index}"));
        let plain = member.base_type(self.module)?.plain_type(self.module)?;
        let (element, dimensions) = self.array_elements(plain)?;
        let ty = self.memory_type(element, depth + 1, left)?;
        let count = dimensions.iter().try_fold(1u64, |count, of| count.checked_mul(*of))?;
        Some(StructField { name, offset: member.offset_bits() / 8, ty, count, is_array: !dimensions.is_empty() })
    }
}
