//! Vectors and aggregates: lists of scalars.

use labrys_program::{Operand, Type};

use crate::error::{Reason, Scalars};
use crate::function::Writer;

impl Writer<'_, '_> {
    /// `extractelement`.
    pub(crate) fn extract_element(&mut self, vector: &Operand, index: &Operand) -> Scalars {
        let (lanes, index) = (self.operand(vector)?, self.scalar(index)?);
        let mut chosen = lanes.last().cloned().ok_or("a vector without lanes")?;
        for (lane, scalar) in lanes.iter().enumerate().rev().skip(1) {
            chosen = format!("({index} == {lane} ? {scalar} : {chosen})");
        }
        Ok(vec![chosen])
    }

    /// `insertelement`.
    pub(crate) fn insert_element(&mut self, vector: &Operand, element: &Operand, index: &Operand) -> Scalars {
        let (lanes, element, index) = (self.operand(vector)?, self.scalar(element)?, self.scalar(index)?);
        let replaced = |(lane, scalar): (usize, &String)| format!("({index} == {lane} ? {element} : {scalar})");
        Ok(lanes.iter().enumerate().map(replaced).collect())
    }

    /// `shufflevector`.
    pub(crate) fn shuffle(&mut self, a: &Operand, b: &Operand, mask: &[Option<u32>]) -> Scalars {
        let mut lanes = self.operand(a)?;
        lanes.extend(self.operand(b)?);
        let lane = |index: &Option<u32>| {
            let lane = lanes.get(index.unwrap_or(0) as usize).cloned();
            lane.ok_or_else(|| Reason::from("a shuffle of lanes that are not there"))
        };
        mask.iter().map(lane).collect()
    }

    /// `extractvalue`.
    pub(crate) fn extract_value(&mut self, aggregate: &Operand, path: &[u32]) -> Scalars {
        let (first, count) = member(&self.type_of(aggregate)?, path)?;
        let scalars = self.operand(aggregate)?;
        Ok(scalars.into_iter().skip(first).take(count).collect())
    }

    /// `insertvalue`.
    pub(crate) fn insert_value(&mut self, aggregate: &Operand, element: &Operand, path: &[u32]) -> Scalars {
        let (first, count) = member(&self.type_of(aggregate)?, path)?;
        let (mut scalars, element) = (self.operand(aggregate)?, self.operand(element)?);
        for (slot, scalar) in scalars.iter_mut().skip(first).take(count).zip(element) {
            *slot = scalar;
        }
        Ok(scalars)
    }
}

fn member(ty: &Type, path: &[u32]) -> Result<(usize, usize), Reason> {
    ty.member(path).ok_or_else(|| "a member that is not there".into())
}
