//! Vectors and aggregates: moving scalars.

use labrys_program::{Operand, Type};

use crate::machine::{HaltOf, ValueOf, int_of};
use crate::{Domain, Machine, State, Stop, types};

impl<D: Domain> Machine<'_, D> {
    /// A lane number; `None` where it is out of range, which makes the result poison.
    fn lane(&mut self, state: &State<D>, index: &Operand, lanes: usize) -> Result<Option<usize>, HaltOf<D>> {
        let index = self.scalar(state, index)?;
        if index.tainted {
            return Ok(None);
        }
        let lane = self.concrete(state, int_of(&index)?, |_, _| (0..lanes as u128).collect())?;
        Ok(usize::try_from(lane).ok().filter(|lane| *lane < lanes))
    }

    /// `extractelement`.
    pub(crate) fn extract_element(
        &mut self,
        state: &mut State<D>,
        vector: &Operand,
        index: &Operand,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let vector = self.operand(state, vector)?;
        let scalar = match self.lane(state, index, vector.len())? {
            Some(lane) => vector[lane].clone(),
            None => {
                let any = vector.first().ok_or_else(|| Stop::unsupported("a vector without elements"))?;
                any.clone().taint(true)
            }
        };
        Ok(crate::state::single(scalar))
    }

    /// `insertelement`.
    pub(crate) fn insert_element(
        &mut self,
        state: &mut State<D>,
        vector: &Operand,
        element: &Operand,
        index: &Operand,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let mut vector = self.operand(state, vector)?;
        let element = self.scalar(state, element)?;
        match self.lane(state, index, vector.len())? {
            Some(lane) => vector[lane] = element,
            None => vector.iter_mut().for_each(|scalar| scalar.tainted = true),
        }
        Ok(vector)
    }

    /// `shufflevector`.
    pub(crate) fn shuffle_vector(
        &mut self,
        state: &mut State<D>,
        a: &Operand,
        b: &Operand,
        mask: &[Option<u32>],
        ty: &Type,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let mut lanes = self.operand(state, a)?;
        lanes.extend(self.operand(state, b)?);
        let mut result = ValueOf::<D>::new();
        for lane in mask {
            match lane.and_then(|lane| lanes.get(lane as usize)) {
                Some(scalar) => result.push(scalar.clone()),
                None => result.push(self.zero(types::element_kind(ty)?).taint(true)),
            }
        }
        Ok(result)
    }

    /// `extractvalue`; `ty` is the member's type, the aggregate's comes from the operand.
    pub(crate) fn extract_value(
        &mut self,
        state: &mut State<D>,
        aggregate: &Operand,
        path: &[u32],
        _ty: &Type,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let ty = self.type_of(state, aggregate)?;
        let (first, count) = types::member(&ty, path)?;
        let value = self.operand(state, aggregate)?;
        let member = value.get(first..first + count).ok_or_else(|| Stop::unsupported("a member out of range"))?;
        Ok(member.iter().cloned().collect())
    }

    /// `insertvalue`.
    pub(crate) fn insert_value(
        &mut self,
        state: &mut State<D>,
        aggregate: &Operand,
        element: &Operand,
        path: &[u32],
        ty: &Type,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let (first, count) = types::member(ty, path)?;
        let mut value = self.operand(state, aggregate)?;
        let element = self.operand(state, element)?;
        if element.len() != count || first + count > value.len() {
            return Err(Stop::unsupported("a member out of range").into());
        }
        for (i, scalar) in element.into_iter().enumerate() {
            value[first + i] = scalar;
        }
        Ok(value)
    }

    /// The type of an operand.
    pub(crate) fn type_of(&self, state: &State<D>, operand: &Operand) -> Result<Type, Stop> {
        let frame = state.frame().ok_or_else(|| Stop::unsupported("a value outside any function"))?;
        let ty = self.function(frame.function)?.type_of(operand);
        ty.ok_or_else(|| Stop::unsupported("a value without a type"))
    }
}
