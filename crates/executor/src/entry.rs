//! Entering a program: its globals, constructors, and `main` or another function.

use std::sync::Arc;

use labrys_interp::{Base, Int, List, ObjectKind, Pointer, Scalar, ScalarKind};
use labrys_program::{Constant, EXITS, FunctionId, Global, Type};
use labrys_term::TermId;
use num_traits::ToPrimitive;
use smallvec::smallvec;

use crate::answers::Value;
use crate::driver::Driver;
use crate::inputs::{any_argument, note_standard_input};
use crate::state::Execution;
use crate::{Options, Path};

/// What C's streams are taken for: objects that only the library looks into. glibc's `FILE` has 216 bytes.
const STREAM: u64 = 216;

/// What flang calls a program's main.
const FORTRAN_MAIN: &str = "_QQmain";

impl<'s> Driver<'_, 's> {
    /// A path at the beginning of the program, with so many arguments that may be any.
    ///
    /// # Errors
    ///
    /// Why the program cannot be entered, in words.
    pub(crate) fn enter(&mut self, any: usize) -> Result<Execution<'s>, Arc<str>> {
        let options: &Options = self.options;
        let entry = self.program.function(&options.entry);
        let Some(entry) = entry.filter(|id| !self.program.functions[id.index()].blocks.is_empty()) else {
            return Err(format!("the program defines no function {}", options.entry).into());
        };
        let condition = self.store().bool_const(true);
        let mut execution = Execution {
            state: self.machine.state(Path::new(condition)),
            inputs: List::default(),
            decisions: List::default(),
            witness: Some(self.oracle.witnesses.make(Default::default(), 0)),
            groups: Default::default(),
            goal: None,
            steps: 0,
            rounds: List::default(),
            left: List::default(),
            looked_at: 0,
            merged: 0,
        };
        let most = self.options.standard_input;
        note_standard_input(&self.source, self.machine.domain.store, &mut execution.inputs, most);
        self.machine.construct(&mut execution.state);
        self.open_streams(&mut execution);
        self.make_tables(&mut execution);
        let arguments = match options.entry.as_str() {
            "main" => self.main_arguments(&mut execution, entry, any)?,
            _ => self.any_arguments(&mut execution, entry)?,
        };
        let push = |machine: &mut labrys_interp::Machine<'_, _>, execution: &mut Execution<'s>, id, arguments| {
            machine.push_frame(&mut execution.state, id, arguments, None).map_err(|stop| Arc::from(stop.to_string()))
        };
        // What is entered last runs first.
        self.endings = self.listed("llvm.global_dtors")?;
        let exits = self.program.function(EXITS);
        self.endings.extend(exits.filter(|id| !self.program.functions[id.index()].blocks.is_empty()));
        for id in self.endings.clone() {
            push(&mut self.machine, &mut execution, id, Vec::new())?;
        }
        push(&mut self.machine, &mut execution, entry, arguments)?;
        for constructor in self.listed("llvm.global_ctors")?.into_iter().rev() {
            push(&mut self.machine, &mut execution, constructor, Vec::new())?;
        }
        Ok(execution)
    }

    /// `argc` and `argv`.
    fn main_arguments(
        &mut self,
        execution: &mut Execution<'s>,
        main: FunctionId,
        any: usize,
    ) -> Result<Vec<Value>, Arc<str>> {
        let parameters = &self.program.functions[main.index()].parameters;
        let types: Vec<&Type> = parameters.iter().map(|parameter| &parameter.ty).collect();
        let argc = match types.as_slice() {
            [] => return Ok(Vec::new()),
            [Type::Int(bits)] | [Type::Int(bits), Type::Pointer] => *bits,
            // The environment, at which flang's runtime looks and nobody else: there is none.
            [Type::Int(bits), Type::Pointer, Type::Pointer] if self.program.function(FORTRAN_MAIN).is_some() => *bits,
            [_, _, _, ..] => return Err("main has a third parameter".into()),
            _ => return Err("main has parameters that are not C's".into()),
        };
        let known = |text: &[u8]| -> Vec<Int<TermId>> {
            text.iter().chain(&[0]).map(|byte| Int::new(8, u128::from(*byte))).collect()
        };
        let mut texts = vec![known(b"program")];
        texts.extend(self.options.arguments.iter().map(|text| known(text)));
        for number in 1..=any {
            let (store, length) = (&mut *self.machine.domain.store, self.options.any_arguments.length);
            texts.push(any_argument(store, &mut execution.inputs, number, length));
        }
        let memory = &mut execution.state.memory;
        let domain = &mut self.machine.domain;
        let vector = memory.allocate(8 * (texts.len() as u64 + 1), 8, ObjectKind::Argument, Some(0));
        for (index, text) in texts.iter().enumerate() {
            let pointer = memory.allocate(text.len() as u64, 1, ObjectKind::Argument, Some(0));
            if let (Base::Object { id, .. }, Base::Object { id: array, .. }) = (pointer.base, vector.base) {
                for (at, byte) in text.iter().enumerate() {
                    memory.store(domain, id, at as u64, 1, Scalar::int(byte.clone()));
                }
                memory.store(domain, array, 8 * index as u64, 8, Scalar::pointer(pointer));
            }
        }
        let mut arguments: Vec<Value> = vec![smallvec![Scalar::int(Int::new(argc, texts.len() as u128))]];
        if types.len() >= 2 {
            arguments.push(smallvec![Scalar::pointer(vector)]);
        }
        if types.len() == 3 {
            arguments.push(smallvec![Scalar::pointer(Pointer::null())]);
        }
        Ok(arguments)
    }

    /// Any values for a function's scalar parameters.
    fn any_arguments(&mut self, execution: &mut Execution<'s>, function: FunctionId) -> Result<Vec<Value>, Arc<str>> {
        let definition = &self.program.functions[function.index()];
        let mut arguments = Vec::new();
        for (index, parameter) in definition.parameters.iter().enumerate() {
            // Compilers leave names out.
            let name = match parameter.name.as_str() {
                "" => format!("argument {}", index + 1),
                name => name.to_owned(),
            };
            if !matches!(parameter.ty, Type::Int(_) | Type::Float(_)) {
                return Err(format!("{name} of {} is no number", definition.name).into());
            }
            let scalar = self.any_scalar(execution, &name, &parameter.ty);
            arguments.push(smallvec![scalar.map_err(|stop| Arc::from(stop.to_string()))?]);
        }
        Ok(arguments)
    }

    /// Gives `stdin`, `stdout` and `stderr`, which the library defines, something to point to.
    fn open_streams(&mut self, execution: &mut Execution<'s>) {
        let is_stream = |global: &Global| {
            global.initializer.is_none() && matches!(global.name.as_str(), "stdin" | "stdout" | "stderr")
        };
        for (index, _) in self.program.globals.iter().enumerate().filter(|(_, global)| is_stream(global)) {
            let memory = &mut execution.state.memory;
            let stream: Pointer<_> = memory.allocate(STREAM, 16, ObjectKind::Global, Some(0));
            let id = labrys_interp::ObjectId(index as u32);
            if memory.check(id, 0, ScalarKind::Pointer.size(), false).is_ok() {
                memory.store(&mut self.machine.domain, id, 0, 8, Scalar::pointer(stream));
                memory.set_closed(id);
            }
        }
    }

    /// The functions of a list of constructors or destructors, in the order of their priorities: that in which constructors run.
    fn listed(&self, name: &str) -> Result<Vec<FunctionId>, Arc<str>> {
        let list = self.program.globals.iter().find(|global| global.name == name);
        let Some(Constant::Aggregate(_, entries)) = list.and_then(|global| global.initializer.as_ref()) else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for entry in entries {
            match entry {
                Constant::Aggregate(_, members) => match members.as_slice() {
                    [Constant::Int { value: priority, .. }, Constant::Function(id), ..] => {
                        found.push((priority.to_u64().unwrap_or(u64::MAX), *id));
                    }
                    _ => return Err("a constructor that is not understood".into()),
                },
                _ => return Err("a constructor that is not understood".into()),
            }
        }
        // Equal priorities keep their order.
        found.sort_by_key(|(priority, _)| *priority);
        Ok(found.into_iter().map(|(_, id)| id).collect())
    }
}
