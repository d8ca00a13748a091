//! From a function of the IR to the text of its shadow: the phases, one after the other.

use std::fmt::Write as _;

use labrys_program::{FunctionId, IrBinding, Program, Signature};

use crate::error::{Reason, ShadowError};
use crate::module::Module;
use crate::shadow::{INIT, SYMBOL, Shadow};
use crate::{entry, foreign, function};

/// Writes the shadow of `function` and of all that it calls as C. `signature` says how it is called, `binding` how that maps
/// to its IR ([`labrys_program::map_parameters`]); `init` is called once before all calls, by whoever loads the result.
///
/// # Errors
///
/// [`ShadowError::Unsupported`] where the function, or one that it may call, does what has no shadow.
///
/// ```
/// use labrys_program::{Program, map_parameters, parse_signature};
///
/// let text = "define double @f(double %x) { %y = fsub double %x, 1.0 ret double %y }";
/// let program = Program::from_bytes(text.as_bytes(), "f.ll").unwrap();
/// let function = program.function("f").unwrap();
/// let signature = parse_signature("double f(double x)", &Default::default()).unwrap();
/// let binding = map_parameters(&signature, &program, function).unwrap();
/// let shadow = labrys_shadow::lower(&program, function, &binding, &signature, None).unwrap();
/// assert_eq!(shadow.sites[0].operator, "fsub");
/// assert_eq!(shadow.signature.parameters.len(), 2);
/// ```
pub fn lower(
    program: &Program,
    function: FunctionId,
    binding: &IrBinding,
    signature: &Signature,
    init: Option<FunctionId>,
) -> Result<Shadow, ShadowError> {
    let unsupported = |id: FunctionId, Reason(reason): Reason| {
        let function = program.functions.get(id.index()).map_or_else(String::new, |function| function.name.clone());
        ShadowError::Unsupported { function, reason }
    };
    let mut module = Module::new(program);
    let entry = entry::text(&mut module, function, binding, signature).map_err(|why| unsupported(function, why))?;
    let initialiser = match init {
        Some(init) => initialiser(&mut module, init).map_err(|why| unsupported(init, why))?,
        None => String::new(),
    };
    let mut globals = (String::new(), String::new());
    let mut functions = (String::new(), String::new());
    let (mut written, mut placed) = (0, 0);
    // Functions and globals name further ones.
    while written < module.functions.len() || placed < module.globals.len() {
        if let Some(&id) = module.functions.get(written) {
            let text = function::definition(&mut module, id).map_err(|why| unsupported(id, why))?;
            let head = function::head(&mut module, id).map_err(|why| unsupported(id, why))?;
            let _ = writeln!(functions.0, "{head};");
            functions.1.push_str(&text);
            written += 1;
        } else if let Some(&id) = module.globals.get(placed) {
            let (head, text) = module.global_text(id).map_err(|why| unsupported(function, why))?;
            globals.0.push_str(&head);
            globals.1.push_str(&text);
            placed += 1;
        }
    }
    let dispatches = module.dispatches().map_err(|why| unsupported(function, why))?;
    let entries = module.entries().map_err(|why| unsupported(function, why))?;
    let outputs = entry::outputs(signature);
    let parts = [
        module.prelude(),
        foreign::types(),
        std::mem::take(&mut module.declarations),
        globals.0,
        functions.0,
        entries.0,
        dispatches.0,
        globals.1,
        functions.1,
        dispatches.1,
        entries.1,
        entry,
        initialiser,
    ];
    let extended = entry::extended(signature, outputs.len());
    Ok(Shadow {
        text: parts.concat(),
        symbol: SYMBOL.to_owned(),
        init: init.map(|_| INIT.to_owned()),
        block: extended.output_layout().parameters.last().copied().flatten().unwrap_or(0),
        signature: extended,
        operations: module.operations,
        sites: module.sites,
        outputs,
        function: signature.symbol.clone(),
    })
}

/// The initialiser: a function without parameters, whose result is ignored. What it stores is mixed with no call's number.
fn initialiser(module: &mut Module<'_>, init: FunctionId) -> Result<String, Reason> {
    let program = module.program;
    let function = program.functions.get(init.index()).ok_or("no such initialiser")?;
    if !function.parameters.is_empty() {
        return Err("an initialiser with parameters".into());
    }
    let name = module.function(init);
    Ok(format!("__attribute__((visibility(\"default\"))) void {INIT}(void) {{ {name}(); }}\n"))
}
