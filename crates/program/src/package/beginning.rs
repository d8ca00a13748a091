//! Where a function of a crate begins, for operations whose own place the optimiser did not keep.
//!
//! What is inlined into the glue stands there in the machine's code. Of an operation that the optimiser moves, or makes of several, it keeps as a place what
//! these have in common: the call, which is in the glue. That is nobody's source, and the function that is called the least that is known.

use std::path::{Path, PathBuf};

use super::CrateFunction;
use crate::{Program, SourceFunction, SourceFunctionId};

/// The place where a function of a crate begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// The file, as [`CrateFunction::source_place`].
    pub file: String,
    /// The line, from 1; 0 where it is not known.
    pub line: u32,
    /// The function's own name.
    pub function: String,
    /// The symbol of what calls it.
    pub symbol: &'static str,
    /// The folder of the glue.
    glue: PathBuf,
}

impl CrateFunction {
    /// Where it begins.
    pub fn beginning(&self) -> Beginning {
        let (file, line) = self.source_place();
        Beginning {
            file: file.display().to_string(),
            line: line.unwrap_or(0),
            function: self.own_name().to_owned(),
            symbol: self.symbol(),
            glue: self.glue_folder(),
        }
    }
}

impl Beginning {
    /// Whether a file of debug information is glue.
    pub fn stands_for(&self, file: &str) -> bool {
        Path::new(file).starts_with(&self.glue)
    }

    /// Puts what stands in the glue where the function begins.
    pub fn settle(&self, program: &mut Program) {
        let in_glue: Vec<bool> = program.files.iter().map(|file| self.stands_for(file)).collect();
        if !in_glue.contains(&true) {
            return;
        }
        let file = program.files.len() as u32;
        program.files.push(self.file.clone());
        let function = SourceFunctionId(program.source_functions.len() as u32);
        let (name, symbol) = (self.function.clone(), Some(self.symbol.to_owned()));
        program.source_functions.push(SourceFunction { name, symbol });
        for location in &mut program.locations {
            if in_glue.get(location.file as usize) == Some(&true) {
                (location.file, location.line, location.column) = (file, self.line, 0);
                location.function = function;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_glue_begins_with_the_function() {
        let text = r#"
            define double @labrys_call(double %x) !dbg !4 {
              %a = fdiv double 1.0, %x, !dbg !8
              %b = fmul double 2.0, %a, !dbg !7
              ret double %b
            }
            !llvm.dbg.cu = !{!0}
            !llvm.module.flags = !{!9}
            !0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, emissionKind: FullDebug)
            !1 = !DIFile(filename: "0a.rs", directory: "/crate/target/labrys/glue")
            !2 = !DIFile(filename: "src/lib.rs", directory: "/crate")
            !4 = distinct !DISubprogram(name: "half", linkageName: "labrys_call", file: !1, type: !5, spFlags: DISPFlagDefinition, unit: !0)
            !5 = !DISubroutineType(types: !6)
            !6 = !{}
            !7 = !DILocation(line: 3, column: 5, scope: !10, inlinedAt: !8)
            !8 = !DILocation(line: 9, column: 31, scope: !4)
            !9 = !{i32 2, !"Debug Info Version", i32 3}
            !10 = distinct !DISubprogram(name: "half", linkageName: "_ZN1c4halfE", file: !2, type: !5, spFlags: DISPFlagDefinition, unit: !0)"#;
        let mut program = Program::from_bytes(text.as_bytes(), "f.ll").expect("IR");
        let beginning = Beginning {
            file: "src/lib.rs".to_owned(),
            line: 2,
            function: "half".to_owned(),
            symbol: "labrys_call",
            glue: "/crate/target/labrys/glue".into(),
        };
        beginning.settle(&mut program);
        let mut places: Vec<String> = program
            .locations
            .iter()
            .map(|of| {
                let function = &program.source_functions[of.function.index()];
                let symbol = function.symbol.as_deref().unwrap_or_default();
                format!("{}:{}:{} {symbol}", program.files[of.file as usize], of.line, of.column)
            })
            .collect();
        places.sort();
        assert_eq!(places, ["/crate/src/lib.rs:3:5 _ZN1c4halfE", "src/lib.rs:2:0 labrys_call"]);
    }
}
