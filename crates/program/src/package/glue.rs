//! The text that calls a function of a crate.
//!
//! There are two ways to call it. What runs catches panics and tells the caller of them by a byte, `labrys_panicked`, so that one costs no more
//! than unwinding; the hook that would print it is replaced by one that does nothing. Under `panic=abort` nothing can be caught: the hook ends the
//! process with 101, as the end of a program by a panic does. What is analysed calls without catching: a panic is the end of a path.

use std::fmt::Write as _;

use super::CrateError;
use super::body::Body;
use super::path::FunctionPath;
use super::resolve::Callable;

/// The symbol of the glue.
pub(super) const SYMBOL: &str = "labrys_call";

/// The crate that the glue is compiled as.
pub(super) const GLUE_CRATE: &str = "labrys_glue";

/// Glue for a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glue {
    /// What both ways of calling share.
    shared: String,
    /// The name, parameters and result of the glue's function.
    head: String,
    /// The call of the body.
    call: String,
    /// Whether the body says that it had no argument.
    refuses: bool,
    /// Whether there is a result.
    gives: bool,
    /// Lengths of slices.
    pub(super) lengths: Vec<String>,
}

/// The type of several outputs.
const OUTPUTS: &str = "LabrysOutputs";

impl Glue {
    pub(super) fn new(path: &FunctionPath, callable: &Callable, lengths: &[String]) -> Result<Glue, CrateError> {
        let mut body = Body::new(lengths);
        for (name, shape) in &callable.parameters {
            body.argument(name, shape);
        }
        if let Some(base) = body.unknown_length() {
            let names = body.parameters.iter().map(|(name, _)| name.clone()).collect();
            return Err(CrateError::Length { path: path.text.clone(), base, names });
        }
        let before = std::mem::take(&mut body.after);
        if let Some(shape) = &callable.result {
            body.result(shape);
        }
        let after = format!("{before}{}", body.after);
        // One scalar is the result itself.
        let lone = match (body.outputs.as_slice(), &callable.result) {
            ([(name, ty)], Some(_)) if name == "value" && !ty.starts_with('[') => Some(ty.clone()),
            _ => None,
        };
        let gives = !body.outputs.is_empty();
        let result = lone.clone().unwrap_or_else(|| if gives { OUTPUTS.to_owned() } else { "()".to_owned() });
        let parameters: Vec<String> = body.parameters.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let (parameters, arguments) = (parameters.join(", "), body.arguments.join(", "));

        let mut shared = format!("{}\n{}", callable.uses, body.aliases);
        if lone.is_none() && gives {
            let _ = writeln!(shared, "#[repr(C)]\n#[derive(Clone, Copy)]\npub struct {OUTPUTS} {{");
            for (name, ty) in &body.outputs {
                let _ = writeln!(shared, "    pub {name}: {ty},");
            }
            shared.push_str("}\n");
        }
        let kind = if body.refuses { format!("Option<{result}>") } else { result.clone() };
        let _ =
            writeln!(shared, "\n#[inline(always)]\nunsafe fn labrys_body({parameters}) -> {kind} {{\n{}", body.before);
        let call = format!("{}({arguments})", path.text);
        let value = if lone.is_some() {
            format!("    let value = {call};\n    let value: {result} = {};\n", lone_value(&after))
        } else if gives {
            format!(
                "    let mut out: {OUTPUTS} = std::mem::zeroed();\n    let value = {call};\n{after}    let value = out;\n"
            )
        } else {
            format!("    let value = {call};\n    let value = ();\n")
        };
        let _ = writeln!(shared, "{value}    {}\n}}", if body.refuses { "Some(value)" } else { "value" });

        let names: Vec<&str> = body.parameters.iter().map(|(name, _)| name.as_str()).collect();
        Ok(Glue {
            shared,
            head: format!("pub unsafe extern \"C\" fn {}({parameters}) -> {result}", path.name()),
            call: format!("labrys_body({})", names.join(", ")),
            refuses: body.refuses,
            gives,
            lengths: body.lengths,
        })
    }

    /// The source of what runs and of what is analysed: `labrys_ir` tells them apart.
    pub(super) fn text(&self) -> String {
        let Glue { shared, head, call, .. } = self;
        let caught = if self.refuses { "Ok(Some(value)) => value" } else { "Ok(value) => value" };
        let nothing = if self.gives { "std::mem::zeroed()" } else { "()" };
        format!(
            "{SHARED_HEAD}{shared}
#[cfg(labrys_ir)]
#[export_name = \"{SYMBOL}\"]
{head} {{
    {plain}
}}

#[cfg(not(labrys_ir))]
#[export_name = \"{SYMBOL}\"]
{head} {{
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {call})) {{
        {caught},
        _ => {{
            labrys_panicked = 1;
            {nothing}
        }}
    }}
}}
{QUIET}",
            plain = self.plain(),
        )
    }

    /// The call without catching.
    fn plain(&self) -> String {
        match self.refuses {
            true => format!("match {} {{ Some(value) => value, None => panic!() }}", self.call),
            false => self.call.clone(),
        }
    }

    /// The source of a module of a test, which is called by the same symbol.
    pub(super) fn module(&self) -> String {
        let Glue { shared, head, .. } = self;
        format!("{shared}\n#[unsafe(export_name = \"{SYMBOL}\")]\n{head} {{\n    {}\n}}\n", self.plain())
    }
}

/// Of the statements that store the only output the value that is stored.
fn lone_value(after: &str) -> String {
    let mut text = String::from("{ ");
    for line in after.lines() {
        let line = line.trim();
        let line = line.strip_prefix("out.value = ").map_or(line, |value| value.trim_end_matches(';'));
        text.push_str(line);
        text.push(' ');
    }
    text.push('}');
    text
}

const SHARED_HEAD: &str = "// Written by labrys: calls a function of a crate.\n#![allow(warnings)]\n";

const QUIET: &str = "
#[cfg(not(labrys_ir))]
#[no_mangle]
pub static mut labrys_panicked: u8 = 0;

#[cfg(all(not(labrys_ir), panic = \"abort\"))]
extern \"C\" {
    fn _exit(code: i32) -> !;
}

#[cfg(not(labrys_ir))]
extern \"C\" fn labrys_quiet() {
    std::panic::set_hook(Box::new(|_| {
        #[cfg(panic = \"abort\")]
        unsafe {
            _exit(101)
        }
    }));
}

#[cfg(not(labrys_ir))]
#[used]
#[link_section = \".init_array\"]
static LABRYS_QUIET: extern \"C\" fn() = labrys_quiet;
";
