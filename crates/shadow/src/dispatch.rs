//! Calls through pointers, and what pointers to functions point to.
//!
//! The address of a function of the program is that of an entry that takes own values, so that code without shadows can call
//! it; a call through a pointer compares its target with the entries of those functions whose types fit, and calls
//! what is behind them with shadows. Any other target is code without shadows.

use labrys_program::{FunctionId, Type};

use crate::error::Reason;
use crate::foreign::{Foreign, taken};
use crate::kind::Kind;
use crate::module::Module;

impl Module<'_> {
    /// The bodies of indirect calls and of the entries of functions whose addresses are taken.
    pub(crate) fn dispatches(&mut self) -> Result<(String, String), Reason> {
        let (mut heads, mut bodies) = (String::new(), String::new());
        for index in 0..self.indirect.len() {
            let (types, result) = self.indirect[index].clone();
            let (head, body) = self.dispatch(index, &types, &result)?;
            heads.push_str(&format!("{head};\n"));
            bodies.push_str(&body);
        }
        Ok((heads, bodies))
    }

    fn dispatch(&mut self, index: usize, types: &[Type], result: &Type) -> Result<(String, String), Reason> {
        let returned = self.result_type(result)?;
        let (mut formal, mut variables, mut all) = (vec!["P target".to_owned()], Vec::new(), Vec::new());
        for (position, ty) in types.iter().enumerate() {
            let places = self.scalars(ty)?;
            let names: Vec<String> = (0..places.len()).map(|i| format!("a{position}_{i}")).collect();
            formal.extend(places.iter().zip(&names).map(|(place, name)| format!("{} {name}", place.kind.c_type())));
            all.extend(names.clone());
            variables.push(names);
        }
        let head = format!("static {returned} i{index}({})", formal.join(", "));
        let mut body = format!("{head}\n{{\n");
        let program = self.program;
        let targets = labrys_program::indirect_targets(program, types, result, &self.taken);
        let arrow = if returned == "void" { "" } else { "return " };
        for id in targets {
            let function = &program.functions[id.index()];
            if function.blocks.is_empty() || function.is_variadic {
                continue;
            }
            let call = format!("f{}({})", id.0, all.join(", "));
            let end = if returned == "void" { " return;" } else { "" };
            body.push_str(&format!("if (target == (P)t{}) {{ {arrow}{call};{end} }}\n", id.0));
        }
        match Foreign::of(types, result, None) {
            Ok(foreign) => {
                let call =
                    format!("(({} (*)({}))target)({})", foreign.result, foreign.parameters, foreign.actual(&variables));
                body.push_str(&foreign_return(&foreign, &returned, &call));
            }
            Err(_) => body.push_str("__builtin_trap();\n"),
        }
        body.push_str("}\n");
        Ok((head, body))
    }

    /// Declarations and definitions of what addresses of functions point to.
    pub(crate) fn entries(&mut self) -> Result<(String, String), Reason> {
        let (mut heads, mut bodies) = (String::new(), String::new());
        let program = self.program;
        for id in self.taken.clone() {
            let function = &program.functions[id.index()];
            if function.blocks.is_empty() {
                heads.push_str(&format!("extern char t{}[] __asm__({:?});\n", id.0, function.name));
                continue;
            }
            let types: Vec<Type> = function.parameters.iter().map(|parameter| parameter.ty.clone()).collect();
            let by_value =
                function.is_variadic || function.parameters.iter().any(|parameter| parameter.by_value.is_some());
            let foreign = Foreign::of(&types, &function.result, None).ok().filter(|_| !by_value);
            let Some(foreign) = foreign.filter(|foreign| foreign.results.len() < 2) else {
                // Only the text itself can call it.
                heads.push_str(&format!("static void t{}(void);\n", id.0));
                bodies.push_str(&format!("static void t{}(void) {{ __builtin_trap(); }}\n", id.0));
                continue;
            };
            let (head, body) = entry(id, &foreign);
            heads.push_str(&format!("{head};\n"));
            bodies.push_str(&body);
        }
        Ok((heads, bodies))
    }
}

/// The end of an indirect call that goes to code without shadows.
fn foreign_return(foreign: &Foreign, returned: &str, call: &str) -> String {
    match foreign.results.as_slice() {
        [] => format!("{call};\n"),
        [place] => format!("return {};\n", taken(place.kind, call, false)),
        _ => {
            let members: Vec<String> =
                foreign.members("result").iter().map(|(kind, member)| taken(*kind, member, false)).collect();
            format!("{} result = {call};\nreturn ({returned}){{ {} }};\n", foreign.result, members.join(", "))
        }
    }
}

/// A function that takes own values and calls one that takes shadows.
fn entry(id: FunctionId, foreign: &Foreign) -> (String, String) {
    let mut formal = Vec::new();
    let mut actual = Vec::new();
    for (position, (kinds, vector)) in foreign.arguments.iter().enumerate() {
        if let Some(vector) = vector {
            formal.push(format!("{vector} a{position}"));
            actual.extend((0..kinds.len()).map(|i| taken(kinds[i], &format!("a{position}[{i}]"), true)));
            continue;
        }
        for (i, kind) in kinds.iter().enumerate() {
            formal.push(format!("{} a{position}_{i}", kind.c_abi().unwrap_or("P")));
            actual.push(taken(*kind, &format!("a{position}_{i}"), true));
        }
    }
    let formal = if formal.is_empty() { "void".to_owned() } else { formal.join(", ") };
    let head = format!("static {} t{}({formal})", foreign.result, id.0);
    let call = format!("f{}({})", id.0, actual.join(", "));
    let body = match foreign.results.first() {
        None => format!("{call};"),
        Some(place) => match place.kind {
            Kind::Float(_) => format!("return {call}.v;"),
            _ => format!("return {call};"),
        },
    };
    (head.clone(), format!("{head} {{ {body} }}\n"))
}
