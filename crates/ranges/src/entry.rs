//! The call that is analysed: inputs as nodes, in the shape that the IR wants them.

use std::sync::Arc;

use labrys_interp::{ScalarKind, leaf_kind};
use labrys_program::{
    FunctionId, IrBinding, IrParameter, IrPart, Leaf, ParameterType, Pointee, ResultType, ScalarType, Signature, Type,
};

use crate::graph::{Domain, Graph, Value};
use crate::machine::Machine;
use crate::memory::{Cell, Content, Found, Object};
use crate::pointer::PointerDomain;
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::stop::{Stop, unsupported};
use crate::types;

/// One input's values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Input {
    pub leaf: Leaf,
    pub domain: Domain,
}

/// What is called, as the source declares it.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub function: FunctionId,
    pub binding: &'a IrBinding,
    pub signature: &'a Signature,
    /// A function that runs first; its result is not looked at.
    pub init: Option<FunctionId>,
}

impl Machine<'_> {
    /// Analyses one call for inputs from a box.
    pub fn run(&mut self, subject: &Subject<'_>, inputs: &[Input]) -> Result<(), Stop> {
        let branch = self.graph.fork(Graph::ROOT);
        let mut states = vec![Snapshot { state: State::new(branch), values: Vec::new() }];
        if let Some(init) = subject.init {
            states = self.initialised(init, states)?;
        }
        for mut snapshot in states {
            let arguments = self.arguments(subject, inputs, &mut snapshot)?;
            self.run_function(subject.function, &arguments, snapshot)?;
        }
        Ok(())
    }

    /// The states after the function that runs first; its sites are not those of the call.
    fn initialised(&mut self, init: FunctionId, states: Vec<Snapshot>) -> Result<Vec<Snapshot>, Stop> {
        let was_recording = std::mem::replace(&mut self.is_recording, false);
        let definition = self.program.functions.get(init.index()).ok_or_else(|| unsupported("no such function"))?;
        if definition.blocks.is_empty() {
            return Err(unsupported("a function to run first that is not defined"));
        }
        let mut after = Vec::new();
        for snapshot in states {
            let mut arguments = Vec::new();
            for parameter in &definition.parameters {
                arguments.push(self.unknown(&snapshot, &parameter.ty)?);
            }
            after.extend(self.run_function(init, &arguments, snapshot)?);
        }
        self.is_recording = was_recording;
        Ok(after)
    }

    fn arguments(
        &mut self,
        subject: &Subject<'_>,
        inputs: &[Input],
        snapshot: &mut Snapshot,
    ) -> Result<Vec<Value>, Stop> {
        let layout = subject.signature.input_layout();
        let mut record = Object::new(layout.size as u64, true);
        for input in inputs {
            let node = snapshot.state.opaque(&mut self.graph, input.domain.clone());
            let size = leaf_kind(input.leaf.scalar).size();
            record.store(input.leaf.offset as u64, Cell { size, content: Content::Node(node) });
        }
        let mut blocks = Vec::new();
        for (index, parameter) in subject.signature.parameters.iter().enumerate() {
            let size = match &parameter.ty {
                ParameterType::Pointer { pointee, length, .. } => pointee.size() * length.capacity(),
                ParameterType::Value(pointee @ Pointee::Struct(_)) => pointee.size(),
                ParameterType::Value(Pointee::Scalar(_)) => {
                    blocks.push(None);
                    continue;
                }
            };
            let mut object = Object::new(size, true);
            if let Some(offset) = layout.parameters[index] {
                object.copy(0, &record, offset as u64, size);
            }
            blocks.push(Some(self.argument_object(snapshot, object)));
        }
        let function = &self.program.functions[subject.function.index()];
        if function.blocks.is_empty() || subject.binding.parameters.len() != function.parameters.len() {
            return Err(unsupported("a binding that does not fit the function"));
        }
        let mut arguments = Vec::new();
        for (parameter, how) in function.parameters.iter().zip(&subject.binding.parameters) {
            arguments.push(match how {
                IrParameter::Leaves(parts) => self.assembled(snapshot, &record, parts, &parameter.ty)?,
                IrParameter::PointerTo { parameter } | IrParameter::ByValue { parameter } => {
                    let block = blocks.get(*parameter).cloned().flatten();
                    block.ok_or_else(|| unsupported("a binding to a parameter without memory"))?
                }
                IrParameter::StructReturn => {
                    let size = match &subject.signature.result {
                        ResultType::Value(pointee) => pointee.size(),
                        ResultType::Void => 0,
                    };
                    self.argument_object(snapshot, Object::new(size, true))
                }
            });
        }
        Ok(arguments)
    }

    fn argument_object(&mut self, snapshot: &mut Snapshot, object: Object) -> Value {
        let id = self.new_object();
        snapshot.state.memory.objects.insert(id, Arc::new(object));
        let domain = Domain::Pointer(PointerDomain::object(id));
        [snapshot.state.opaque(&mut self.graph, domain)].into_iter().collect()
    }

    /// An IR value of type `ty` made of parts of the input record.
    fn assembled(
        &mut self,
        snapshot: &mut Snapshot,
        record: &Object,
        parts: &[IrPart],
        ty: &Type,
    ) -> Result<Value, Stop> {
        let mut image = Object::new(ty.alloc_size().max(16), true);
        for part in parts {
            if part.bit % 8 != 0 {
                return Err(unsupported("a binding beyond its record"));
            }
            image.copy(part.bit / 8, record, part.offset as u64, part.bytes as u64);
        }
        let mut value = Value::new();
        for (at, kind) in types::scalars(ty)? {
            let node = match image.load(at, kind.size()) {
                Found::Node(node) => self.reinterpret(snapshot, node, kind),
                Found::Zero => crate::memory::zero(&mut self.graph, kind),
                Found::Unknown => snapshot.state.opaque(&mut self.graph, types::top(kind)),
            };
            value.push(node);
        }
        Ok(value)
    }
}

/// Every value of a leaf's type.
pub(crate) fn leaf_top(leaf: &Leaf) -> Domain {
    match leaf_kind(leaf.scalar) {
        _ if leaf.scalar == ScalarType::Bool => Domain::Int(crate::integer::IntDomain::between(8, 0, 1)),
        ScalarKind::Pointer => types::top(ScalarKind::Int(64)),
        kind => types::top(kind),
    }
}
