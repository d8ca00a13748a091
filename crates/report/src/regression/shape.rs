//! A call as every language writes it: variables with their values, and where outputs stand in them.

use labrys_program::{
    Access, FloatType, Leaf, Length, ParameterType, Pointee, ResultType, ScalarType, Signature, StructType,
};

use super::CallTest;
use super::name::{is_name, variables};

/// A value of an input record.
#[derive(Clone, Debug)]
pub(super) enum Tree<'a> {
    Scalar(ScalarType, u128),
    Array(Vec<Tree<'a>>),
    Struct(&'a StructType, Vec<Tree<'a>>),
}

/// How a variable reaches the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    /// As it is.
    Value,
    /// By its address.
    Memory(Access),
}

/// A variable of the test.
#[derive(Clone, Debug)]
pub(super) struct Variable<'a> {
    pub(super) name: String,
    pub(super) pointee: &'a Pointee,
    /// How many elements it has, where it is an array.
    pub(super) count: Option<u64>,
    pub(super) passing: Passing,
    pub(super) value: Tree<'a>,
}

/// A step from a variable to a scalar in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// An element, from 0.
    Index(u64),
    /// A member of a struct, from 0.
    Member(usize),
}

/// A call.
pub(super) struct Shape<'a> {
    /// What the function is called in the test.
    pub(super) function: String,
    pub(super) variables: Vec<Variable<'a>>,
    pub(super) result: Option<&'a Pointee>,
}

impl<'a> Shape<'a> {
    /// That of a signature's call on an input record; `index` tells functions apart whose names are no names everywhere.
    pub(super) fn of(signature: &'a Signature, input: &[u8], index: usize) -> Shape<'a> {
        let function = match is_name(&signature.name) {
            true => signature.name.clone(),
            false => format!("labrys_function{index}"),
        };
        let layout = signature.input_layout();
        let names = variables(signature.parameters.iter().map(|of| of.name.as_str()), &function);
        let at = signature.parameters.iter().zip(names).enumerate();
        let variables = at.map(|(i, (parameter, name))| {
            let (pointee, count, passing) = match &parameter.ty {
                ParameterType::Value(pointee) => (pointee, None, Passing::Value),
                ParameterType::Pointer { pointee, length, access } => {
                    let count = (*length != Length::Fixed(1)).then(|| length.capacity());
                    (pointee, count, Passing::Memory(*access))
                }
            };
            let offset = layout.parameters[i].filter(|_| count != Some(0));
            // Memory that is only written begins as zeros, and none at all has an address.
            let (record, offset) = offset.map_or((&[][..], 0), |offset| (input, offset));
            let count = count.map(|count| count.max(1));
            Variable { name, pointee, count, passing, value: tree(pointee, count, record, offset) }
        });
        let variables = variables.collect();
        let result = match &signature.result {
            ResultType::Void => None,
            ResultType::Value(pointee) => Some(pointee),
        };
        Shape { function, variables, result }
    }

    /// Where an output stands: the variable, or `None` for the result, and the way into it.
    pub(super) fn place(&self, signature: &Signature, leaf: &Leaf) -> Option<(Option<&Variable<'a>>, Vec<Step>)> {
        let layout = signature.output_layout();
        match leaf.parameter {
            None => Some((None, steps(self.result?, None, leaf.offset)?)),
            Some(index) => {
                let (variable, start) = (self.variables.get(index)?, layout.parameters[index]?);
                Some((Some(variable), steps(variable.pointee, variable.count, leaf.offset - start)?))
            }
        }
    }
}

fn tree<'a>(pointee: &'a Pointee, count: Option<u64>, record: &[u8], offset: usize) -> Tree<'a> {
    if let Some(count) = count {
        let size = pointee.size() as usize;
        return Tree::Array((0..count as usize).map(|i| tree(pointee, None, record, offset + i * size)).collect());
    }
    match pointee {
        Pointee::Scalar(scalar) => Tree::Scalar(*scalar, scalar.read(record, offset)),
        Pointee::Struct(of) => {
            let member = |field: &'a labrys_program::StructField| {
                tree(&field.ty, field.is_array.then_some(field.count), record, offset + field.offset as usize)
            };
            Tree::Struct(of, of.fields.iter().map(member).collect())
        }
    }
}

fn steps(pointee: &Pointee, count: Option<u64>, offset: usize) -> Option<Vec<Step>> {
    if count.is_some() {
        let size = (pointee.size() as usize).max(1);
        let mut inner = steps(pointee, None, offset % size)?;
        inner.insert(0, Step::Index((offset / size) as u64));
        return Some(inner);
    }
    let Pointee::Struct(of) = pointee else { return Some(Vec::new()) };
    let holds = |field: &labrys_program::StructField| {
        let start = field.offset as usize;
        (start..start + (field.ty.size() * field.count) as usize).contains(&offset)
    };
    let index = of.fields.iter().position(holds)?;
    let field = &of.fields[index];
    let mut inner = steps(&field.ty, field.is_array.then_some(field.count), offset - field.offset as usize)?;
    inner.insert(0, Step::Member(index));
    Some(inner)
}

/// A call as languages other than C can write it: structs lie as C lays them out, floats are binary32 and binary64.
pub(super) struct NaturalCall<'a> {
    pub(super) shape: Shape<'a>,
    /// The distinct structs, inner ones first.
    pub(super) structs: Vec<&'a StructType>,
    /// The function's number.
    pub(super) number: usize,
}

impl<'a> NaturalCall<'a> {
    /// That of a test. `lacks`: what is said of a float's type that the language has not, before its name.
    ///
    /// # Errors
    ///
    /// The function that cannot be called, and why.
    pub(super) fn of(test: &CallTest<'a>, number: usize, lacks: &str) -> Result<NaturalCall<'a>, (String, String)> {
        let shape = Shape::of(test.signature, &test.input, number);
        let refused = |why: String| (test.signature.name.clone(), why);
        let structs = natural_structs(&shape).map_err(refused)?;
        let layouts = (test.signature.input_layout().leaves, test.signature.output_layout().leaves);
        for leaf in layouts.0.iter().chain(&layouts.1) {
            if let ScalarType::Float(FloatType::X87 | FloatType::F16) = leaf.scalar {
                return Err(refused(format!("{lacks} {}; take ctest", leaf.scalar.name())));
            }
        }
        Ok(NaturalCall { shape, structs, number })
    }

    /// What a struct of the call is called.
    pub(super) fn struct_name(&self, of: &StructType) -> String {
        let index = self.structs.iter().position(|known| *known == of).unwrap_or_default();
        format!("LabrysF{}S{index}", self.number)
    }
}

/// The distinct structs of a call, inner ones first.
///
/// # Errors
///
/// Why one of them cannot be declared: it does not lie as C lays it out, or has no members.
fn natural_structs<'a>(shape: &Shape<'a>) -> Result<Vec<&'a StructType>, String> {
    fn add<'a>(found: &mut Vec<&'a StructType>, pointee: &'a Pointee) {
        if let Pointee::Struct(of) = pointee {
            of.fields.iter().for_each(|field| add(found, &field.ty));
            if !found.contains(&of) {
                found.push(of);
            }
        }
    }
    let mut found = Vec::new();
    shape.variables.iter().for_each(|variable| add(&mut found, variable.pointee));
    shape.result.iter().for_each(|result| add(&mut found, result));
    match found.iter().find(|of| !of.is_natural() || of.fields.is_empty()) {
        Some(of) => Err(format!("struct {} is not laid out as C does; take ctest", of.name)),
        None => Ok(found),
    }
}
