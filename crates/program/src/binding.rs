//! How a call as the source declares it appears in the IR: coerced structs, hidden pointers, copies by value.
//!
//! Front ends lower calls for the target's ABI. On x86-64 (System V ABI, section 3.2.3) a struct of up to 16 bytes is cut
//! into eightbytes, each of which travels as one value (`{double, double}` as two doubles, `{float, float}` as
//! `<2 x float>`, `{int, int}` as `i64`) or, when registers run out, as the address of a copy; larger ones as the
//! address of a copy. rustc passes some as one aggregate and others as their scalars; on AArch64 homogeneous ones are
//! arrays. Rather than classify again, [`map_parameters`] reads what the front end decided, by one rule:
//!
//! *A value of the IR that carries part of a struct holds its bytes as memory would, from the first scalar that no
//! earlier value has carried.*
//!
//! That holds for all of these: eightbytes begin at scalars (a struct has none that straddles two, and one with padding
//! only is not passed), aggregates are laid out as memory, and rustc's pairs are scalars in memory order. What does
//! not fit whole scalars, in number or in type, is an error, never a guess.

use thiserror::Error;

use crate::{
    Function, FunctionId, InputLayout, Leaf, OutputLayout, ParameterType, ParameterValue, Pointee, Program, ResultType,
    ScalarType, Signature, Type,
};

/// The bits of an IR value that stand for some bytes of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IrPart {
    /// First bit in the IR value: of a scalar, or of the scalars of a vector or struct laid out as in memory. A wider
    /// scalar may hold a narrower one (rustc passes `{f64, f32}` as `{double, double}`), and an `i1` a byte that is 0 or 1.
    pub bit: u64,
    /// First byte in the input record (for parameters) or the output record (for results).
    pub offset: usize,
    /// Number of bytes.
    pub bytes: usize,
}

/// What one parameter of the IR carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IrParameter {
    /// Parts of values that the source passes by value.
    Leaves(Vec<IrPart>),
    /// The address of the memory behind pointer parameter `parameter` of the source.
    PointerTo {
        /// Index of the source's parameter.
        parameter: usize,
    },
    /// The address at which the result is to be stored (`sret`).
    StructReturn,
    /// The address of a copy (`byval`) of the source's parameter, which is passed by value.
    ByValue {
        /// Index of the source's parameter.
        parameter: usize,
    },
}

/// Where the source's result is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IrResult {
    /// There is none.
    Void,
    /// In the IR's result.
    Leaves(Vec<IrPart>),
    /// In the memory behind the [`IrParameter::StructReturn`].
    StructReturn,
}

/// How a signature's call maps to an IR function's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IrBinding {
    /// One entry for each parameter of the IR function.
    pub parameters: Vec<IrParameter>,
    /// Where the result is.
    pub result: IrResult,
}

/// Why a signature does not fit an IR function.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BindingError {
    /// The program has no such function.
    #[error("the IR has no function number {}", function.0)]
    NoFunction {
        /// The function asked for.
        function: FunctionId,
    },
    /// The IR function has too few parameters.
    #[error("{function} has no parameter in its IR for {parameter:?}")]
    Missing {
        /// The IR function's symbol.
        function: String,
        /// The source's parameter.
        parameter: String,
    },
    /// The IR function has parameters that the signature does not explain.
    #[error("the IR of {function} has a further parameter, number {index} of type {ty}")]
    Extra {
        /// The IR function's symbol.
        function: String,
        /// Position among the IR function's parameters.
        index: usize,
        /// Its type, as [`crate::ProgramDisplay`] writes it.
        ty: String,
    },
    /// A parameter's types cannot be reconciled.
    #[error("{parameter:?} of {function} is {declared} in the source and {ty} in the IR")]
    Parameter {
        /// The IR function's symbol.
        function: String,
        /// The source's parameter.
        parameter: String,
        /// What it is in the source.
        declared: String,
        /// The IR parameter's type.
        ty: String,
    },
    /// The result's types cannot be reconciled.
    #[error("the result of {function} is {declared} in the source and {ty} in the IR")]
    Result {
        /// The IR function's symbol.
        function: String,
        /// What it is in the source.
        declared: String,
        /// The IR result's type.
        ty: String,
    },
}

/// Relates the parameters and the result of an IR function to the records of a signature.
///
/// ```
/// use labrys_program::{IrParameter, IrPart, IrResult, Program, map_parameters};
/// use labrys_program::{FloatType, Parameter, ParameterType, Pointee, ResultType, ScalarType, Signature};
///
/// let text = "define double @twice(double %x) { %y = fadd double %x, %x ret double %y }";
/// let program = Program::from_bytes(text.as_bytes(), "twice.ll").unwrap();
/// let double = Pointee::Scalar(ScalarType::Float(FloatType::F64));
/// let signature = Signature {
///     name: "twice".to_owned(),
///     symbol: "twice".to_owned(),
///     parameters: vec![Parameter { name: "x".to_owned(), ty: ParameterType::Value(double.clone()) }],
///     result: ResultType::Value(double),
/// };
/// let binding = map_parameters(&signature, &program, program.function("twice").unwrap()).unwrap();
/// let whole = vec![IrPart { bit: 0, offset: 0, bytes: 8 }];
/// assert_eq!(binding.parameters, [IrParameter::Leaves(whole.clone())]);
/// assert_eq!(binding.result, IrResult::Leaves(whole));
/// ```
pub fn map_parameters(
    signature: &Signature,
    program: &Program,
    function: FunctionId,
) -> Result<IrBinding, BindingError> {
    let function = program.functions.get(function.index()).ok_or(BindingError::NoFunction { function })?;
    let inputs = signature.input_layout();
    let mut matcher = Matcher { function, inputs: &inputs, parameters: Vec::new() };
    for (index, parameter) in signature.parameters.iter().enumerate() {
        match &parameter.ty {
            ParameterType::Pointer { .. } => matcher.pointer(index, &parameter.name)?,
            ParameterType::Value(Pointee::Scalar(scalar)) => matcher.scalar(index, &parameter.name, *scalar)?,
            ParameterType::Value(Pointee::Struct(of)) => {
                matcher.aggregate(index, &parameter.name, &format!("struct {}", of.name))?;
            }
        }
    }
    matcher.skip_struct_return();
    let parameters = matcher.parameters;
    if let Some(extra) = function.parameters.get(parameters.len()) {
        let (function, index) = (function.name.clone(), parameters.len());
        return Err(BindingError::Extra { function, index, ty: extra.ty.to_string() });
    }
    let result = map_result(signature, function, &signature.output_layout(), &parameters)?;
    Ok(IrBinding { parameters, result })
}

/// Takes the IR function's parameters one after the other.
struct Matcher<'a> {
    function: &'a Function,
    inputs: &'a InputLayout,
    /// What the parameters taken so far carry.
    parameters: Vec<IrParameter>,
}

impl<'a> Matcher<'a> {
    /// The next parameter; the hidden pointer to the result may stand anywhere.
    fn next(&mut self, name: &str) -> Result<&'a ParameterValue, BindingError> {
        self.skip_struct_return();
        let next = self.function.parameters.get(self.parameters.len());
        next.ok_or_else(|| BindingError::Missing { function: self.function.name.clone(), parameter: name.to_owned() })
    }

    fn skip_struct_return(&mut self) {
        while self.function.parameters.get(self.parameters.len()).is_some_and(|next| next.is_struct_return) {
            self.parameters.push(IrParameter::StructReturn);
        }
    }

    fn mismatch(&self, name: &str, declared: &str, ty: &Type) -> BindingError {
        BindingError::Parameter {
            function: self.function.name.clone(),
            parameter: name.to_owned(),
            declared: declared.to_owned(),
            ty: ty.to_string(),
        }
    }

    fn pointer(&mut self, index: usize, name: &str) -> Result<(), BindingError> {
        let next = self.next(name)?;
        if next.ty != Type::Pointer || next.by_value.is_some() {
            return Err(self.mismatch(name, "a pointer", &next.ty));
        }
        self.parameters.push(IrParameter::PointerTo { parameter: index });
        Ok(())
    }

    fn scalar(&mut self, index: usize, name: &str, scalar: ScalarType) -> Result<(), BindingError> {
        let next = self.next(name)?;
        if !carries(&next.ty, scalar) {
            return Err(self.mismatch(name, scalar.name(), &next.ty));
        }
        let whole = |leaf: &Leaf| IrPart { bit: 0, offset: leaf.offset, bytes: leaf.scalar.value_bytes() };
        self.parameters.push(IrParameter::Leaves(self.leaves(index).iter().map(|leaf| whole(leaf)).collect()));
        Ok(())
    }

    fn aggregate(&mut self, index: usize, name: &str, declared: &str) -> Result<(), BindingError> {
        let leaves = self.leaves(index);
        let mut rest = leaves.as_slice();
        // A struct without members is not passed.
        while let Some(first) = rest.first() {
            let next = self.next(name)?;
            // With `byval` in System V's ABI; without it in AArch64's, rustc's and for C++ classes that are not trivial.
            if next.ty == Type::Pointer && rest.len() == leaves.len() {
                self.parameters.push(IrParameter::ByValue { parameter: index });
                return Ok(());
            }
            let (parts, after) =
                carried(&next.ty, rest, first.offset).ok_or_else(|| self.mismatch(name, declared, &next.ty))?;
            self.parameters.push(IrParameter::Leaves(parts));
            rest = after;
        }
        Ok(())
    }

    /// The scalars of a parameter that is passed by value, by offset.
    fn leaves(&self, parameter: usize) -> Vec<&'a Leaf> {
        let mut leaves: Vec<_> = self.inputs.leaves.iter().filter(|leaf| leaf.parameter == Some(parameter)).collect();
        leaves.sort_by_key(|leaf| leaf.offset);
        leaves
    }
}

/// Whether an IR value of this type is that scalar.
fn carries(ty: &Type, scalar: ScalarType) -> bool {
    match (ty, scalar) {
        (Type::Float(format), ScalarType::Float(float)) => *format == float.format(),
        (Type::Int(width), ScalarType::Int { bits, .. }) => *width == bits,
        // clang and rustc pass a bool as i1 and keep it in memory as i8.
        (Type::Int(width), ScalarType::Bool) => matches!(width, 1 | 8),
        _ => false,
    }
}

/// The scalars that an IR value holds whose first byte stands at `start`, and those after it. `None` if it cannot hold
/// them: it is no data, it holds none, or only a part of one.
fn carried<'l>(ty: &Type, leaves: &'l [&'l Leaf], start: usize) -> Option<(Vec<IrPart>, &'l [&'l Leaf])> {
    if !is_data(ty) {
        return None;
    }
    let end = start + usize::try_from(ty.store_size()).ok()?;
    let count = leaves.iter().take_while(|leaf| leaf.offset < end).count();
    let (held, after) = leaves.split_at(count);
    let mut parts = Vec::with_capacity(count);
    for leaf in held {
        let bytes = leaf.scalar.value_bytes();
        if leaf.offset + bytes > end {
            return None;
        }
        parts.push(IrPart { bit: 8 * (leaf.offset - start) as u64, offset: leaf.offset, bytes });
    }
    (count > 0).then_some((parts, after))
}

/// Whether a type is made of numbers only.
fn is_data(ty: &Type) -> bool {
    match ty {
        Type::Int(_) | Type::Float(_) => true,
        Type::Vector(element, _) | Type::Array(element, _) => is_data(element),
        Type::Struct(layout) => layout.fields.iter().all(is_data),
        Type::Void | Type::Pointer | Type::Unsupported(_) => false,
    }
}

fn map_result(
    signature: &Signature,
    function: &Function,
    outputs: &OutputLayout,
    parameters: &[IrParameter],
) -> Result<IrResult, BindingError> {
    let in_memory = parameters.contains(&IrParameter::StructReturn);
    let mismatch = |declared: &str| BindingError::Result {
        function: function.name.clone(),
        declared: declared.to_owned(),
        ty: if in_memory { "memory of the caller's".to_owned() } else { function.result.to_string() },
    };
    let pointee = match &signature.result {
        // A function declared without a result may still have one in the IR (a constructor's, on some targets).
        ResultType::Void if in_memory => return Err(mismatch("void")),
        ResultType::Void => return Ok(IrResult::Void),
        ResultType::Value(pointee) => pointee,
    };
    if in_memory {
        return Ok(IrResult::StructReturn);
    }
    let leaves: Vec<&Leaf> = outputs.leaves.iter().filter(|leaf| leaf.parameter.is_none()).collect();
    if leaves.is_empty() {
        return Ok(IrResult::Void);
    }
    let declared = match pointee {
        Pointee::Scalar(scalar) if !carries(&function.result, *scalar) => return Err(mismatch(scalar.name())),
        Pointee::Scalar(scalar) => scalar.name().to_owned(),
        Pointee::Struct(of) => format!("struct {}", of.name),
    };
    match carried(&function.result, &leaves, 0) {
        Some((parts, [])) => Ok(IrResult::Leaves(parts)),
        _ => Err(mismatch(&declared)),
    }
}
