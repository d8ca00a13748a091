//! Weak definitions: another object that is linked may have others.

use labrys_program::{Constant, FunctionId, Operand, Program};

/// What a proof about functions takes for granted of weak definitions that they come to; `None` where there are none. The first of them is called as it is.
pub(crate) fn assumption(program: &Program, reached: &[FunctionId]) -> Option<String> {
    let called = reached.iter().skip(1).filter(|id| program.weak_functions.contains(id));
    let mut names: Vec<String> = called
        .map(|id| &program.functions[id.index()])
        .map(|of| of.source_name.clone().unwrap_or_else(|| of.name.clone()))
        .collect();
    if !program.weak_globals.is_empty() {
        let mut see = |operand: &Operand| {
            if let Operand::Constant(Constant::Global(id, _) | Constant::GlobalAddress(id, _)) = operand
                && program.weak_globals.contains(id)
            {
                names.push(program.globals[id.index()].name.clone());
            }
        };
        for block in reached.iter().flat_map(|id| &program.functions[id.index()].blocks) {
            block.instructions.iter().for_each(|instruction| instruction.kind.for_each_operand(&mut see));
        }
    }
    names.sort_unstable();
    names.dedup();
    let is_one = names.len() == 1;
    let what = if is_one {
        "is weak: its definition here, and no other, is linked"
    } else {
        "are weak: their definitions here, and no others, are linked"
    };
    (!names.is_empty()).then(|| format!("{} {what}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_defined_elsewhere_is_named() {
        let text = "@w = weak global double 1.0\n@s = global double 1.0\n@t = common global i32 0
            define weak double @guard(double %x) { ret double %x }
            define linkonce_odr double @once(double %x) { ret double %x }
            define double @f() { %a = load double, ptr @w %b = call double @guard(double %a) %c = call double @once(double %b) ret double %c }
            define double @g() { %a = load double, ptr @s %b = load i32, ptr @t ret double %a }";
        let program = Program::from_bytes(text.as_bytes(), "weak.ll").unwrap();
        let of = |names: &[&str]| {
            let reached: Vec<FunctionId> = names.iter().map(|name| program.function(name).unwrap()).collect();
            assumption(&program, &reached)
        };
        assert_eq!(
            of(&["f", "guard", "once"]).unwrap(),
            "guard, w are weak: their definitions here, and no others, are linked"
        );
        assert_eq!(of(&["g"]).unwrap(), "t is weak: its definition here, and no other, is linked");
        assert_eq!(of(&["guard"]), None);
    }
}
