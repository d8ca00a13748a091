//! Functions of libc and libm that are only declared and are no operations on floats alone.

use std::sync::Arc;

use labrys_float::Float;
use labrys_interp::{ClassMask, FloatOperation, SIGN_OF_GAMMA, ScalarKind, reports_a_sign};
use labrys_program::{GlobalId, Instruction, Operand};
use labrys_solver::domain::FloatDomain;
use smallvec::smallvec;

use crate::calls::{Called, absolute};
use crate::float;
use crate::graph::{Domain, NodeId, Op, Value};
use crate::integer::IntDomain;
use crate::machine::Machine;
use crate::memory::Object;
use crate::pointer::{ObjectId, PointerDomain};
use crate::snapshot::Snapshot;
use crate::stop::{Stop, unsupported};
use crate::types;

/// Functions that do not return.
const ENDS: [&str; 8] =
    ["exit", "_exit", "_Exit", "quick_exit", "abort", "__assert_fail", "__assert_rtn", "_ZSt9terminatev"];

/// Functions whose only effect is output.
const SILENT: [&str; 12] = [
    "printf",
    "puts",
    "putchar",
    "fprintf",
    "fputs",
    "fputc",
    "putc",
    "fflush",
    "fwrite",
    "perror",
    "__printf_chk",
    "__fprintf_chk",
];

/// Classifications by their names without suffixes.
const CLASSES: [(&str, ClassMask); 10] = [
    ("isnan", ClassMask::NAN),
    ("__isnan", ClassMask::NAN),
    ("isinf", ClassMask::INFINITY),
    ("__isinf", ClassMask::INFINITY),
    ("finite", ClassMask::FINITE),
    ("__finite", ClassMask::FINITE),
    ("isfinite", ClassMask::FINITE),
    ("isnormal", ClassMask::NORMAL),
    ("signbit", ClassMask::NEGATIVE),
    ("__signbit", ClassMask::NEGATIVE),
];

/// The object behind `errno`.
const ERRNO: ObjectId = ObjectId::Dynamic(0);

impl Machine<'_> {
    /// A call of a function by its name.
    pub fn library(
        &mut self,
        instruction: &Instruction,
        name: &str,
        operands: &[Operand],
        snapshot: &mut Snapshot,
    ) -> Result<Called, Stop> {
        if ENDS.contains(&name) {
            return Ok(Called::Nothing);
        }
        if SILENT.contains(&name) {
            return self.unknown(snapshot, &instruction.ty).map(Called::Value);
        }
        let class = CLASSES
            .iter()
            .find(|(known, _)| *known == name || name.strip_suffix(['f', 'l']).is_some_and(|plain| plain == *known));
        if let Some((_, mask)) = class {
            return self.classify(instruction, *mask, operands, snapshot);
        }
        match name {
            "malloc" | "_Znwm" | "_Znam" | "calloc" => self.heap(name == "calloc", operands, snapshot),
            "free" | "_ZdlPv" | "_ZdaPv" | "_ZdlPvm" | "_ZdaPvm" => Ok(Called::Value(Value::new())),
            "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => {
                let of = self.scalars(snapshot, operands, 3)?;
                let survives = self.copy(snapshot, of[0], of[1], of[2])?;
                Ok(if survives { Called::Value(smallvec![of[0]]) } else { Called::Nothing })
            }
            "memset" | "__memset_chk" => {
                let of = self.scalars(snapshot, operands, 3)?;
                let survives = self.set(snapshot, of[0], of[1], of[2])?;
                Ok(if survives { Called::Value(smallvec![of[0]]) } else { Called::Nothing })
            }
            "abs" | "labs" | "llabs" => {
                let of = self.scalars(snapshot, operands, 1)?;
                let Domain::Int(set) = self.domain(snapshot, of[0]) else {
                    return Err(unsupported("abs of no integer"));
                };
                let domain = Domain::Int(absolute(&set));
                Ok(Called::Value(smallvec![snapshot.state.opaque(&mut self.graph, domain)]))
            }
            "strlen" | "memcmp" | "bcmp" | "strcmp" | "strncmp" => {
                self.unknown(snapshot, &instruction.ty).map(Called::Value)
            }
            "__errno_location" => {
                let object = Arc::new(Object::new(4, false));
                snapshot.state.memory.objects.entry(ERRNO).or_insert(object);
                let domain = Domain::Pointer(PointerDomain::object(ERRNO));
                Ok(Called::Value(smallvec![snapshot.state.opaque(&mut self.graph, domain)]))
            }
            "nan" | "nanf" | "nanl" => match types::kind_of(&instruction.ty)? {
                ScalarKind::Float(format) => Ok(Called::Value(smallvec![self.graph.float(&Float::nan(format))])),
                _ => Err(unsupported("nan of no float")),
            },
            "modf" | "modff" | "modfl" => self.split_fraction(instruction, operands, snapshot),
            _ => Err(unsupported(format!("call of {name}, which is neither defined nor modelled"))),
        }
    }

    /// What functions of libm write to besides their results is not known behind them.
    pub fn forget_reports(&self, name: &str, snapshot: &mut Snapshot) {
        let objects = &mut snapshot.state.memory.objects;
        if let Some(errno) = objects.get_mut(&ERRNO) {
            *errno = Arc::new(Object::new(4, false));
        }
        if reports_a_sign(name)
            && let Some(index) = self.program.globals.iter().position(|global| global.name == SIGN_OF_GAMMA)
        {
            let unknown = Object::new(self.program.globals[index].size, false);
            objects.insert(ObjectId::Global(GlobalId(index as u32)), Arc::new(unknown));
        }
    }

    /// Nonzero where the operand is of a class: 1, but for isinf's −1 and signbit's any.
    fn classify(
        &mut self,
        instruction: &Instruction,
        mask: ClassMask,
        operands: &[Operand],
        snapshot: &mut Snapshot,
    ) -> Result<Called, Stop> {
        let of = self.scalars(snapshot, operands, 1)?;
        let ScalarKind::Int(bits) = types::kind_of(&instruction.ty)? else {
            return Err(unsupported("a classification that is no integer"));
        };
        let bit = Domain::Int(IntDomain::top(1));
        let bit = snapshot.state.compute(&mut self.graph, Op::Class(mask), &of[..1], &bit);
        let holds = match mask {
            ClassMask::INFINITY => IntDomain { bits, low: -1, high: 1, stride: 2 },
            ClassMask::NEGATIVE => IntDomain::top(bits),
            _ => IntDomain::only(bits, 1),
        };
        let holds = match holds.single_bits() {
            Some(value) => self.graph.int(bits, value),
            None => snapshot.state.opaque(&mut self.graph, Domain::Int(holds)),
        };
        let fails = self.graph.int(bits, 0);
        let top = Domain::Int(IntDomain::top(bits));
        Ok(Called::Value(smallvec![snapshot.state.compute(&mut self.graph, Op::Select, &[bit, holds, fails], &top)]))
    }

    /// A new object, or null.
    fn heap(&mut self, is_zero: bool, operands: &[Operand], snapshot: &mut Snapshot) -> Result<Called, Stop> {
        let of = self.scalars(snapshot, operands, if is_zero { 2 } else { 1 })?;
        let mut size = Some(1u64);
        for node in of {
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

    /// C's modf, its integral part through a pointer.
    fn split_fraction(
        &mut self,
        instruction: &Instruction,
        operands: &[Operand],
        snapshot: &mut Snapshot,
    ) -> Result<Called, Stop> {
        let of = self.scalars(snapshot, operands, 2)?;
        let (integral, fraction) = self.integral_and_fraction(snapshot, of[0])?;
        let survives = self.store(snapshot, of[1], &smallvec![integral], &instruction.ty)?;
        Ok(if survives { Called::Value(smallvec![fraction]) } else { Called::Nothing })
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
