//! The analysed program: LLVM IR in an owned arena, reduced to what an interpreter needs.
//!
//! It is SSA as LLVM has it. Types are explicit, pointers opaque, memory byte-addressed and little-endian. Instructions
//! that no consumer understands are kept as [`InstructionKind::Unsupported`], so that only paths that execute them are
//! lost.

use std::sync::Arc;

use labrys_float::Float;
use num_bigint::BigUint;

use crate::{Intrinsic, KnownFunction, Type, VariableType};

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in its arena.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index!(
    /// A function of a [`Program`].
    FunctionId
);
index!(
    /// A global variable of a [`Program`].
    GlobalId
);
index!(
    /// A basic block of a [`Function`].
    BlockId
);
index!(
    /// An SSA value of a [`Function`]: a parameter or an instruction's result.
    ValueId
);
index!(
    /// A source location of a [`Program`].
    LocationId
);

/// A whole module.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// LLVM's target triple.
    pub triple: String,
    /// Functions, declarations included.
    pub functions: Vec<Function>,
    /// Further symbols of functions: rustc and gcc's `alias` attribute make them, also for functions that are the same.
    pub aliases: Vec<(String, FunctionId)>,
    /// Global variables.
    pub globals: Vec<Global>,
    /// Source files, as the debug information names them.
    pub files: Vec<String>,
    /// Source locations.
    pub locations: Vec<Location>,
    /// Functions of the source that code stands in, those that were inlined away included.
    pub source_functions: Vec<SourceFunction>,
    /// Initial values of globals that constructors may change before the program runs; [`Global::initializer`] is `None` for
    /// these, since what analyses of single functions find there is not known.
    pub constructed: Vec<(GlobalId, Constant)>,
    /// Functions whose addresses are in constants that are not understood ([`Constant::Unsupported`]), such as those of pointers to
    /// members: each as often as it is.
    pub hidden_addresses: Vec<FunctionId>,
    /// Functions that are defined here, and by another object that is linked where it defines them, too: C's weak ones; not those of which all definitions
    /// are the same, as C++'s inline ones are.
    pub weak_functions: Vec<FunctionId>,
    /// Variables like these, and C's tentative ones.
    pub weak_globals: Vec<GlobalId>,
}

/// A position in the source and the chain of inlining that brought it here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// Index into [`Program::files`].
    pub file: u32,
    /// Line, from 1; 0 where the compiler says "no line".
    pub line: u32,
    /// Column in bytes, from 1; 0 where unknown.
    pub column: u32,
    /// The source function it stands in, which may have been inlined away.
    pub function: SourceFunctionId,
    /// The call site into which this was inlined.
    pub inlined_at: Option<LocationId>,
}

index!(
    /// A function of the source: see [`Program::source_functions`].
    SourceFunctionId
);

/// A function of the source, as debug information has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceFunction {
    /// Its name; empty where there is none.
    pub name: String,
    /// Its symbol, where the language mangles names.
    pub symbol: Option<String>,
}

/// A global variable or constant.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its symbol.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Whether the program may not write to it.
    pub is_constant: bool,
    /// Its initial value; `None` for a declaration.
    pub initializer: Option<Constant>,
    /// Its type in the source, where debug information gives one, it is no constant and the program makes inputs of variables.
    pub variable: Option<VariableType>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its symbol.
    pub name: String,
    /// Its name in the source, where debug information gives one.
    pub source_name: Option<String>,
    /// Its parameters' values, which are the first values.
    pub parameters: Vec<ParameterValue>,
    /// Result type.
    pub result: Type,
    /// Whether it takes further arguments.
    pub is_variadic: bool,
    /// Whether other modules can see it.
    pub is_external: bool,
    /// Whether the compiler says of it that it writes nothing.
    pub only_reads: bool,
    /// Whether it came with the C library that programs are linked with (`whole::WholeSpec::library`).
    pub is_library: bool,
    /// Basic blocks, entry first; empty for a declaration.
    pub blocks: Vec<Block>,
    /// What a declaration declares, where that is known; `None` for a definition, whatever its name.
    pub known: Option<KnownFunction>,
    /// The type of each value.
    pub values: Vec<Type>,
    /// Target features that change semantics.
    pub features: TargetFeatures,
    /// The loops of the source that debug information has the places of, each once.
    pub loops: Vec<SourceLoop>,
    /// The types in the source of variables that live in memory, by their `alloca`s; only where the function makes inputs of variables.
    pub input_variables: Vec<(ValueId, VariableType)>,
    /// The names in the source of variables that live in memory, by their `alloca`s; only where the function asks for values (`__VERIFIER_nondet_int()`).
    pub input_names: Vec<(ValueId, String)>,
}

/// A loop statement of the source.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceLoop {
    /// The block that every round begins with.
    pub head: BlockId,
    /// Where its keyword stands.
    pub location: LocationId,
    /// The variables that live in memory and can be named there, each name once.
    pub variables: Vec<SourceVariable>,
}

/// A variable of the source that lives in stack memory of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceVariable {
    /// Its name.
    pub name: String,
    /// Its type's name, without `const` and names of the program's own: `unsigned int`.
    pub ty: String,
    /// The `alloca` of its memory.
    pub memory: ValueId,
    /// Whether it is declared by the loop's own statement, which `for` can be; of any other loop, whether it is declared in its body.
    pub is_declared_within: bool,
}

/// A parameter of the IR, which may be part of one of the source.
#[derive(Clone, Debug)]
pub struct ParameterValue {
    /// Its value.
    pub value: ValueId,
    /// Its name in the IR.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Size and alignment of the pointee that is passed by value in memory (`byval`).
    pub by_value: Option<(u64, u64)>,
    /// Whether it is the hidden pointer to the result (`sret`).
    pub is_struct_return: bool,
    /// Whether the callee only writes through it (`writeonly`).
    pub is_write_only: bool,
    /// Whether the callee only reads through it (`readonly`, `readnone`).
    pub is_read_only: bool,
}

/// Features of the target that decide what an instruction computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TargetFeatures {
    /// Whether `llvm.fmuladd` is fused.
    pub fma: bool,
    /// Whether floats are rounded to integral values by an instruction.
    pub rounds: bool,
    /// Whether calls of functions with names of C's library may become instructions; `None` where those of some names may not (`-fno-builtin-NAME`).
    pub knows_library: Option<bool>,
    /// Whether the function says "denormal-fp-math"="preserve-sign" or the like: subnormals are flushed.
    pub flushes_denormals: bool,
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its instructions, phis first.
    pub instructions: Vec<Instruction>,
    /// How it ends.
    pub terminator: Terminator,
    /// Where the terminator stands.
    pub terminator_location: Option<LocationId>,
    /// Where the last call goes if it throws: such a call was an `invoke`, whose normal way is the terminator.
    pub unwind: Option<BlockId>,
    /// What is caught here, where calls that throw lead here: behind the phis.
    pub landing: Option<Box<Landing>>,
}

/// A landing pad: where an activation goes on when what it called has thrown.
#[derive(Clone, Debug, PartialEq)]
pub struct Landing {
    /// The exception, and the number of the clause's type.
    pub result: ValueId,
    /// What it takes, in order.
    pub clauses: Vec<Clause>,
}

/// What a landing pad takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Clause {
    /// Exceptions of a type, given by the address of its description; any, by the null pointer.
    Catch(Constant),
    /// Exceptions of none of a list of types.
    Filter,
    /// Any, to do something on their way.
    Cleanup,
}

/// One instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The value it defines.
    pub result: Option<ValueId>,
    /// The result's type; `Void` where there is none.
    pub ty: Type,
    /// What it does.
    pub kind: InstructionKind,
    /// Fast-math flags, on floating-point operations.
    pub fast_math: FastMath,
    /// Where it stands in the source.
    pub location: Option<LocationId>,
}

/// LLVM's fast-math flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FastMath {
    /// `nnan`: NaN operands or results are poison.
    pub no_nans: bool,
    /// `ninf`: infinite operands or results are poison.
    pub no_infinities: bool,
    /// `nsz`: a zero's sign does not matter.
    pub no_signed_zeros: bool,
    /// `arcp`: a division may become a multiplication by the reciprocal.
    pub allow_reciprocal: bool,
    /// `contract`: products and sums may fuse.
    pub allow_contract: bool,
    /// `afn`: elementary functions may be approximated.
    pub approximate_functions: bool,
    /// `reassoc`: sums and products may be reordered.
    pub allow_reassociation: bool,
}

impl FastMath {
    /// All flags: LLVM's `fast`.
    pub const FAST: FastMath = FastMath {
        no_nans: true,
        no_infinities: true,
        no_signed_zeros: true,
        allow_reciprocal: true,
        allow_contract: true,
        approximate_functions: true,
        allow_reassociation: true,
    };
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A value of the function.
    Value(ValueId),
    /// A constant.
    Constant(Constant),
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// An integer.
    Int {
        /// Width in bits.
        bits: u32,
        /// Its value, unsigned.
        value: BigUint,
    },
    /// A floating-point number.
    Float(Float),
    /// The null pointer.
    Null,
    /// All-zero bytes of a type.
    Zero(Type),
    /// An undefined value.
    Undef(Type),
    /// Poison.
    Poison(Type),
    /// A vector, array or struct.
    Aggregate(Type, Vec<Constant>),
    /// The address of a global, plus an offset in bytes.
    Global(GlobalId, i64),
    /// The same as an integer of 64 bits, as in differences of pointers.
    GlobalAddress(GlobalId, i64),
    /// The address of a function.
    Function(FunctionId),
    /// An integer as an address: `(void *)-1`.
    Address(u64),
    /// A constant that is not understood, with its LLVM spelling.
    Unsupported(Type, Arc<str>),
}

/// The operation of a floating-point binary instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatBinary {
    /// `fadd`.
    Add,
    /// `fsub`.
    Sub,
    /// `fmul`.
    Mul,
    /// `fdiv`.
    Div,
    /// `frem`: C's fmod.
    Rem,
}

/// LLVM's floating-point predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatPredicate {
    /// True if less.
    pub less: bool,
    /// True if equal.
    pub equal: bool,
    /// True if greater.
    pub greater: bool,
    /// True if an operand is NaN.
    pub unordered: bool,
}

/// The operation of an integer binary instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "LLVM's own names")]
pub enum IntBinary {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

impl IntBinary {
    /// All of them.
    pub const ALL: [IntBinary; 13] = {
        use IntBinary::*;
        [Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor]
    };
}

/// LLVM's integer predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "LLVM's own names")]
pub enum IntPredicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

impl IntPredicate {
    /// All of them.
    pub const ALL: [IntPredicate; 10] = {
        use IntPredicate::*;
        [Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle]
    };
}

/// Conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "LLVM's own names")]
pub enum Cast {
    Trunc,
    ZExt,
    SExt,
    FpTrunc,
    FpExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    PtrToInt,
    IntToPtr,
    BitCast,
    AddrSpaceCast,
}

/// What is called.
#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    /// A function of the program, defined or declared ([`Function::known`]).
    Function(FunctionId),
    /// An LLVM intrinsic.
    Intrinsic(Intrinsic),
    /// A computed address.
    Indirect(Operand),
    /// Inline assembly, with its text.
    InlineAsm(Arc<str>),
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq)]
pub enum InstructionKind {
    /// Floating-point arithmetic, elementwise on vectors.
    FloatBinary(FloatBinary, Operand, Operand),
    /// `fneg`.
    FloatNegate(Operand),
    /// `fcmp`.
    FloatCompare(FloatPredicate, Operand, Operand),
    /// Integer arithmetic. Wrapping is defined here; overflow that LLVM calls poison is flagged by `may_poison`.
    IntBinary {
        /// The operation.
        op: IntBinary,
        /// Left operand.
        lhs: Operand,
        /// Right operand.
        rhs: Operand,
        /// Whether `nsw`, `nuw`, `exact` or `disjoint` is set.
        may_poison: bool,
    },
    /// `icmp`.
    IntCompare(IntPredicate, Operand, Operand),
    /// A conversion to the instruction's type.
    Cast(Cast, Operand),
    /// `select`; the condition may be a vector.
    Select(Operand, Operand, Operand),
    /// `phi`.
    Phi(Vec<(BlockId, Operand)>),
    /// Stack memory: element type, element count, alignment in bytes.
    Alloca(Type, Operand, u64),
    /// Reads the instruction's type from an address.
    Load {
        /// The address.
        pointer: Operand,
        /// Whether it is volatile or atomic.
        ordered: bool,
    },
    /// Writes a value to an address.
    Store {
        /// The value.
        value: Operand,
        /// Its type.
        ty: Type,
        /// The address.
        pointer: Operand,
        /// Whether it is volatile or atomic.
        ordered: bool,
    },
    /// Address arithmetic: base + offset + Σ index·scale, indices sign-extended to 64 bits, scales in bytes. Where the
    /// instruction's type is a vector it is done lane by lane, and a scalar operand stands for every lane.
    PointerOffset {
        /// The base address.
        base: Operand,
        /// Constant offset in bytes.
        offset: i64,
        /// Variable parts.
        scaled: Vec<(Operand, i64)>,
    },
    /// `extractelement`.
    ExtractElement(Operand, Operand),
    /// `insertelement`: vector, element, index.
    InsertElement(Operand, Operand, Operand),
    /// `shufflevector`: two vectors and a mask (`None` is poison).
    ShuffleVector(Operand, Operand, Vec<Option<u32>>),
    /// `extractvalue`.
    ExtractValue(Operand, Vec<u32>),
    /// `insertvalue`: aggregate, element.
    InsertValue(Operand, Operand, Vec<u32>),
    /// A call with its arguments.
    Call(Callee, Vec<Operand>),
    /// `freeze`.
    Freeze(Operand),
    /// Not understood: why.
    Unsupported(Arc<str>),
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Terminator {
    /// `ret`.
    Return(Option<Operand>),
    /// An unconditional branch.
    Branch(BlockId),
    /// A conditional branch: condition, target if true, target if false.
    CondBranch(Operand, BlockId, BlockId),
    /// A multi-way branch.
    Switch {
        /// What is compared.
        value: Operand,
        /// The cases.
        cases: Vec<(BigUint, BlockId)>,
        /// Where everything else goes.
        default: BlockId,
    },
    /// Control never gets here.
    Unreachable,
    /// `resume`: an exception goes on behind a landing pad.
    Resume(Operand),
    /// Not understood: why.
    Unsupported(Arc<str>),
}

impl Terminator {
    /// The blocks that control may go to, as often as it names them; a switch's default comes last.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Terminator::Branch(target) => vec![*target],
            Terminator::CondBranch(_, if_true, if_false) => vec![*if_true, *if_false],
            Terminator::Switch { cases, default, .. } => {
                cases.iter().map(|(_, target)| *target).chain([*default]).collect()
            }
            Terminator::Return(_) | Terminator::Unreachable | Terminator::Resume(_) | Terminator::Unsupported(_) => {
                Vec::new()
            }
        }
    }
}

/// flang's symbol of a module's procedure that gfortran calls `__MODULE_MOD_NAME`.
pub(crate) fn flang_symbol(gfortran: &str) -> Option<String> {
    let (module, name) = gfortran.strip_prefix("__")?.split_once("_MOD_")?;
    Some(format!("_QM{module}P{name}"))
}

impl Program {
    /// The function whose symbol, or one of whose aliases, is `name`; of a procedure of a Fortran module also by gfortran's symbol, where the IR is
    /// flang's.
    pub fn function(&self, name: &str) -> Option<FunctionId> {
        let of = |name: &str| self.functions.iter().position(|function| function.name == name);
        let alias = || self.aliases.iter().find(|(alias, _)| alias == name).map(|(_, function)| *function);
        let by_flang = || flang_symbol(name).and_then(|name| of(&name)).map(|index| FunctionId(index as u32));
        of(name).map(|index| FunctionId(index as u32)).or_else(alias).or_else(by_flang)
    }
}

impl Function {
    /// The blocks that control may go to from one of the function's: where its terminator leads, and where its last call goes if it
    /// throws. A terminator that is not understood may lead to all.
    pub fn targets(&self, block: &Block) -> Vec<BlockId> {
        match block.terminator {
            Terminator::Unsupported(_) => (0..self.blocks.len()).map(|index| BlockId(index as u32)).collect(),
            _ => block.terminator.successors().into_iter().chain(block.unwind).collect(),
        }
    }

    /// The type of an operand of one of its instructions; `None` for a value it does not have.
    pub fn type_of(&self, operand: &Operand) -> Option<Type> {
        match operand {
            Operand::Value(id) => self.values.get(id.index()).cloned(),
            Operand::Constant(constant) => Some(constant.ty()),
        }
    }
}

impl Constant {
    /// Its type.
    pub fn ty(&self) -> Type {
        match self {
            Constant::Int { bits, .. } => Type::Int(*bits),
            Constant::GlobalAddress(..) => Type::Int(64),
            Constant::Float(float) => Type::Float(float.format()),
            Constant::Null | Constant::Global(..) | Constant::Function(_) | Constant::Address(_) => Type::Pointer,
            Constant::Zero(ty) | Constant::Undef(ty) | Constant::Poison(ty) => ty.clone(),
            Constant::Aggregate(ty, _) | Constant::Unsupported(ty, _) => ty.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// gfortran's object and flang's IR had no procedure of a module in common.
    #[test]
    fn procedures_of_modules_have_two_symbols() {
        let text = "define void @_QMstPratio() { ret void }\ndefine void @plain_() { ret void }";
        let program = Program::from_bytes(text.as_bytes(), "modules.ll").unwrap();
        let ratio = program.function("__st_MOD_ratio");
        assert_eq!(ratio, program.function("_QMstPratio"));
        assert!(ratio.is_some() && program.function("plain_").is_some());
        assert_eq!(program.function("__st_MOD_other"), None);
        assert_eq!(flang_symbol("st_MOD_ratio"), None);
    }
}
