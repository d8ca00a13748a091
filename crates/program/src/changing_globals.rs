//! Which globals code may change, and other code sees changed: what makes a function's behaviour depend on earlier calls.

use rustc_hash::FxHashSet;

use crate::call_graph::take_addresses;
use crate::{CallGraph, Callee, Constant, Function, FunctionId, GlobalId, InstructionKind, Operand, Program};

/// The globals of a program that some function of it may change.
#[derive(Clone, Debug, Default)]
pub struct ChangingGlobals {
    changed: FxHashSet<GlobalId>,
}

impl ChangingGlobals {
    /// Those whose address is used otherwise than for a load: stores, and all that may lead to one.
    pub fn new(program: &Program) -> ChangingGlobals {
        let mut changed = changed_in(&program.functions);
        changed.retain(|id| program.globals.get(id.index()).is_some_and(|global| !global.is_constant));
        ChangingGlobals { changed }
    }

    /// The names of those that these functions use, in the order of the program.
    pub fn used_by<'p>(&self, program: &'p Program, functions: &[FunctionId]) -> Vec<&'p str> {
        let used = used_in(program, functions).into_iter().filter(|id| self.changed.contains(id));
        used.map(|id| program.globals[id.index()].name.as_str()).collect()
    }

    /// The same with the names of variables that are defined elsewhere: other code may change those.
    pub fn open_to_others<'p>(&self, program: &'p Program, functions: &[FunctionId]) -> Vec<&'p str> {
        let is_open = |id: &GlobalId| {
            let global = &program.globals[id.index()];
            self.changed.contains(id) || (global.initializer.is_none() && !global.is_constant)
        };
        let used = used_in(program, functions).into_iter().filter(is_open);
        used.map(|id| program.globals[id.index()].name.as_str()).collect()
    }
}

/// The globals whose address these functions use otherwise than for a load.
fn changed_in<'p>(functions: impl IntoIterator<Item = &'p Function>) -> FxHashSet<GlobalId> {
    let mut changed = FxHashSet::default();
    for instruction in functions.into_iter().flat_map(|function| &function.blocks).flat_map(|of| &of.instructions) {
        let reads_only = match &instruction.kind {
            InstructionKind::Load { .. } | InstructionKind::IntCompare(..) => true,
            InstructionKind::Call(Callee::Intrinsic(called), _) => called.kind().only_reads(),
            _ => false,
        };
        if !reads_only {
            instruction.kind.for_each_operand(|operand| changed.extend(global_of(operand)));
        }
    }
    changed
}

/// The globals that these functions use, in the order of the program.
fn used_in(program: &Program, functions: &[FunctionId]) -> Vec<GlobalId> {
    let mut used = FxHashSet::default();
    for function in functions.iter().filter_map(|id| program.functions.get(id.index())) {
        for_each_global(function, |id| {
            used.insert(id);
        });
    }
    (0..program.globals.len()).map(|index| GlobalId(index as u32)).filter(|id| used.contains(id)).collect()
}

fn for_each_global(function: &Function, mut see: impl FnMut(GlobalId)) {
    for block in &function.blocks {
        for instruction in &block.instructions {
            instruction.kind.for_each_operand(|operand| {
                if let Some(id) = global_of(operand) {
                    see(id);
                }
            });
        }
    }
}

fn global_of(operand: &Operand) -> Option<GlobalId> {
    match operand {
        Operand::Constant(Constant::Global(id, _) | Constant::GlobalAddress(id, _)) => Some(*id),
        _ => None,
    }
}

/// Takes the initial values from globals that code may change before the program runs: C++'s dynamic initialisers and functions
/// with the attribute `constructor`. What those leave there is not known, as where a global is defined elsewhere.
pub(crate) fn forget_constructed(program: &mut Program) {
    let mut constructors = FxHashSet::default();
    for global in program.globals.iter().filter(|global| global.name == "llvm.global_ctors") {
        take_addresses(global.initializer.iter(), &mut constructors);
    }
    if constructors.is_empty() {
        return;
    }
    let graph = CallGraph::new(program);
    let called: FxHashSet<FunctionId> = constructors.iter().flat_map(|id| graph.reachable(*id)).collect();
    let changed = changed_in(called.iter().filter_map(|id| program.functions.get(id.index())));
    for id in changed {
        if let Some(global) = program.globals.get_mut(id.index()).filter(|global| !global.is_constant) {
            program.constructed.extend(global.initializer.take().map(|value| (id, value)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CallGraph;

    #[test]
    fn what_calls_leave_behind_is_named() {
        let text = "
            @calls = internal global i32 0
            @scale = global double 1.0
            @table = constant [2 x double] [double 1.0, double 2.0]
            @only_read = global double 3.0
            define double @f(double %x) {
                %s = load double, ptr @scale
                %t = load double, ptr @table
                %r = load double, ptr @only_read
                ret double %s
            }
            define void @set(double %x) { store double %x, ptr @scale ret void }
            define i32 @count() { %n = load i32, ptr @calls %m = add i32 %n, 1 store i32 %m, ptr @calls ret i32 %m }
            @own = thread_local global double 1.0
            declare ptr @llvm.threadlocal.address.p0(ptr)
            define void @keep(double %x) {
                %p = call ptr @llvm.threadlocal.address.p0(ptr @own)
                store double %x, ptr %p
                ret void
            }
            @foreign = external global double
            define double @borrow() { %f = load double, ptr @foreign %r = load double, ptr @only_read ret double %f }
            define i32 @above() { %n = call i32 @count() ret i32 %n }";
        let program = Program::from_bytes(text.as_bytes(), "test.ll").unwrap();
        let (changing, graph) = (ChangingGlobals::new(&program), CallGraph::new(&program));
        let used = |name: &str| changing.used_by(&program, &graph.reachable(program.function(name).unwrap()));
        assert_eq!(used("f"), ["scale"]);
        assert_eq!(used("count"), ["calls"]);
        assert_eq!(used("above"), ["calls"]);
        // A thread's own variable is reached through an address that an intrinsic gives.
        assert_eq!(used("keep"), ["own"]);
        assert_eq!(used("borrow"), [""; 0]);
        let open = |name: &str| changing.open_to_others(&program, &graph.reachable(program.function(name).unwrap()));
        assert_eq!(open("borrow"), ["foreign"]);
        assert_eq!(open("f"), ["scale"]);
    }
}
