//! Functions that the program calls and does not define.

use std::sync::Arc;

use labrys_float::Float;
use labrys_interp::{ClassMask, FloatOperation, ScalarKind};
use labrys_program::{
    Allocation, Ending, FloatCall, Function, GlobalId, Instruction, KnownFunction, Operand, SIGN_OF_GAMMA, Truth,
};
use labrys_solver::domain::FloatDomain;
use smallvec::smallvec;

use crate::block::Place;
use crate::calls::{Called, absolute};
use crate::float;
use crate::graph::{Domain, NodeId, Op, Value};
use crate::integer::IntDomain;
use crate::machine::{Activation, Machine};
use crate::memory::Object;
use crate::pointer::{ObjectId, PointerDomain};
use crate::snapshot::Snapshot;
use crate::stop::{Stop, unsupported};
use crate::types;

/// The object behind `errno`.
const ERRNO: ObjectId = ObjectId::Dynamic(0);

impl Machine<'_> {
    /// What glibc's `fmax` and `fmin` give, of which clang's instructions give `value`: they add a signaling NaN to the other operand, which gives a NaN.
    fn of_function(&mut self, snapshot: &mut Snapshot, operands: &[Operand], value: Value) -> Result<Value, Stop> {
        let mut may_be_nan = false;
        for node in self.scalars(snapshot, operands, 2)? {
            may_be_nan |= self.float(snapshot, node).is_none_or(|set| set.nan);
        }
        let mut result = Value::new();
        for node in value {
            result.push(match self.float(snapshot, node).filter(|set| may_be_nan && !set.nan) {
                Some(set) => {
                    let domain = Domain::Float(FloatDomain { nan: true, ..set });
                    snapshot.state.opaque(&mut self.graph, domain)
                }
                None => node,
            });
        }
        Ok(result)
    }

    /// A call of a function that is only declared.
    pub fn library(
        &mut self,
        activation: &Activation,
        place: Place,
        instruction: &Instruction,
        (callee, operands): (&Function, &[Operand]),
        snapshot: &mut Snapshot,
    ) -> Result<Called, Stop> {
        let unknown = || unsupported(format!("call of {}, which is neither defined nor modelled", callee.name));
        let known = callee.known.ok_or_else(unknown)?;
        self.forget_reports(known, snapshot);
        let caller = &self.program.functions[activation.function.index()];
        self.check_library(known, (caller, operands));
        match known {
            KnownFunction::End(Ending::Exit) => Ok(self.ended()),
            KnownFunction::End(_) => Ok(Called::Nothing),
            KnownFunction::Float(call) => {
                let called = self.float_call(activation, place, instruction, (call, operands), snapshot)?;
                match (call, called) {
                    (FloatCall::Operation(FloatOperation::MinNum | FloatOperation::MaxNum), Called::Value(value)) => {
                        self.of_function(snapshot, operands, value).map(Called::Value)
                    }
                    (_, called) => Ok(called),
                }
            }
            KnownFunction::Class(mask, truth) => self.classify(instruction, mask, truth, operands, snapshot),
            KnownFunction::Print { .. } => {
                if !self.program.only_prints(caller, instruction, known) {
                    return Err(unsupported(format!("a call of {} that may write to memory", callee.name)));
                }
                self.unknown(snapshot, &instruction.ty).map(Called::Value)
            }
            KnownFunction::Allocate(Allocation { size, count, is_zero, .. }) => {
                self.heap(is_zero, [Some(size), count].into_iter().flatten(), operands, snapshot)
            }
            // What was in the old memory is not followed.
            KnownFunction::Reallocate { size, .. } => self.heap(false, [size], operands, snapshot),
            KnownFunction::Free(_) | KnownFunction::Nothing => Ok(Called::Value(Value::new())),
            KnownFunction::Copy => {
                let of = self.scalars(snapshot, operands, 3)?;
                let survives = self.copy(snapshot, of[0], of[1], of[2])?;
                Ok(if survives { Called::Value(smallvec![of[0]]) } else { Called::Nothing })
            }
            KnownFunction::Fill => {
                let of = self.scalars(snapshot, operands, 3)?;
                let survives = self.set(snapshot, of[0], of[1], of[2])?;
                Ok(if survives { Called::Value(smallvec![of[0]]) } else { Called::Nothing })
            }
            KnownFunction::AbsoluteInteger => {
                let of = self.scalars(snapshot, operands, 1)?;
                let Domain::Int(set) = self.domain(snapshot, of[0]) else {
                    return Err(unsupported("abs of no integer"));
                };
                let domain = Domain::Int(absolute(&set));
                Ok(Called::Value(smallvec![snapshot.state.opaque(&mut self.graph, domain)]))
            }
            KnownFunction::TextLength
            | KnownFunction::CompareBytes
            | KnownFunction::CompareTexts
            | KnownFunction::Classification => self.unknown(snapshot, &instruction.ty).map(Called::Value),
            KnownFunction::ErrorNumber => {
                let object = Arc::new(Object::new(4, false));
                snapshot.state.memory.objects.entry(ERRNO).or_insert(object);
                let domain = Domain::Pointer(PointerDomain::object(ERRNO));
                Ok(Called::Value(smallvec![snapshot.state.opaque(&mut self.graph, domain)]))
            }
            KnownFunction::Nan => match types::kind_of(&instruction.ty)? {
                ScalarKind::Float(format) => Ok(Called::Value(smallvec![self.graph.float(&Float::nan(format))])),
                _ => Err(unsupported("nan of no float")),
            },
            KnownFunction::LogGammaWithSign
            | KnownFunction::Complex
            | KnownFunction::WriteText
            | KnownFunction::Environment { .. } => Err(unknown()),
        }
    }

    /// What functions of the library write to besides their results is not known behind them.
    fn forget_reports(&self, known: KnownFunction, snapshot: &mut Snapshot) {
        let objects = &mut snapshot.state.memory.objects;
        if let Some(errno) = objects.get_mut(&ERRNO).filter(|_| known.sets_errno()) {
            *errno = Arc::new(Object::new(4, false));
        }
        if known.sets_sign_of_gamma()
            && let Some(index) = self.program.globals.iter().position(|global| global.name == SIGN_OF_GAMMA)
        {
            let unknown = Object::new(self.program.globals[index].size, false);
            objects.insert(ObjectId::Global(GlobalId(index as u32)), Arc::new(unknown));
        }
    }

    /// An integer that is not zero where the operand is of a class.
    fn classify(
        &mut self,
        instruction: &Instruction,
        mask: ClassMask,
        truth: Truth,
        operands: &[Operand],
        snapshot: &mut Snapshot,
    ) -> Result<Called, Stop> {
        let of = self.scalars(snapshot, operands, 1)?;
        let ScalarKind::Int(bits) = types::kind_of(&instruction.ty)? else {
            return Err(unsupported("a classification that is no integer"));
        };
        // Where the operand may be outside of the class for any number, the number says nothing of it.
        let mask = if truth == Truth::NotZeroButOfNan { mask | ClassMask::NAN } else { mask };
        let bit = Domain::Int(IntDomain::top(1));
        let bit = snapshot.state.compute(&mut self.graph, Op::Class(mask), &of[..1], &bit);
        let holds = match truth {
            Truth::One => IntDomain::only(bits, 1),
            Truth::Sign => IntDomain { bits, low: -1, high: 1, stride: 2 },
            Truth::NotZero | Truth::NotZeroButOfNan => IntDomain::top(bits),
        };
        let holds = match holds.single_bits() {
            Some(value) => self.graph.int(bits, value),
            None => snapshot.state.opaque(&mut self.graph, Domain::Int(holds)),
        };
        let fails = self.graph.int(bits, 0);
        let top = Domain::Int(IntDomain::top(bits));
        Ok(Called::Value(smallvec![snapshot.state.compute(&mut self.graph, Op::Select, &[bit, holds, fails], &top)]))
    }

    /// A new object, or null; `sizes` are the operands whose product its size is.
    fn heap(
        &mut self,
        is_zero: bool,
        sizes: impl IntoIterator<Item = usize>,
        operands: &[Operand],
        snapshot: &mut Snapshot,
    ) -> Result<Called, Stop> {
        let mut size = Some(1u64);
        for index in sizes {
            let operand = operands.get(index).ok_or_else(|| unsupported("a call with too few arguments"))?;
            let node = self.scalar(snapshot, operand)?;
            let known = match self.domain(snapshot, node) {
                Domain::Int(set) => set.single_bits().and_then(|size| u64::try_from(size).ok()),
                _ => None,
            };
            size = size.and_then(|size| size.checked_mul(known?));
        }
        // An object of a size that is not known is as large as anyone wants it: accesses are assumed to be inside.
        let object = Object::new(size.unwrap_or(1 << 40), is_zero);
        let id = self.new_object();
        if snapshot.state.memory.objects.len() > MAX_OBJECTS {
            return Err(unsupported("many objects on the heap"));
        }
        snapshot.state.memory.objects.insert(id, Arc::new(object));
        let domain = PointerDomain::object(id).hull(&PointerDomain::null());
        Ok(Called::Value(smallvec![snapshot.state.opaque(&mut self.graph, Domain::Pointer(domain))]))
    }

    /// x = integral + fraction, both of x's sign; the fraction of an infinity is a zero.
    pub fn integral_and_fraction(&mut self, snapshot: &mut Snapshot, of: NodeId) -> Result<(NodeId, NodeId), Stop> {
        let set = self.float(snapshot, of).ok_or_else(|| unsupported("modf of no float"))?;
        let mode = Some(labrys_float::RoundingMode::TowardZero);
        let truncate = FloatOperation::RoundToIntegral { mode, inexact: false };
        let (integral, _) = float::operate(truncate, &[set], false);
        let one = Float::one(set.format);
        let unit = FloatDomain::between(&one.neg().next_up(), &one.next_down());
        let fraction = FloatDomain {
            minus_zero: set.clip(i128::MIN, -1).has_numbers(),
            plus_zero: set.clip(0, i128::MAX).has_numbers(),
            nan: set.nan,
            negative: unit.negative.filter(|_| set.negative.is_some()),
            positive: unit.positive.filter(|_| set.positive.is_some()),
            ..FloatDomain::empty(set.format)
        };
        let integral = snapshot.state.opaque(&mut self.graph, Domain::Float(integral));
        Ok((integral, snapshot.state.opaque(&mut self.graph, Domain::Float(fraction))))
    }
}

/// Objects of one state.
const MAX_OBJECTS: usize = 4096;
