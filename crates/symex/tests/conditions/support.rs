//! Both builds of an example, explored over the same variables.

use std::path::Path;
use std::process::Command;

use labrys_float::{Flags, Float, Format};
use labrys_program::map_parameters;
use labrys_program::{FloatType, Parameter, ParameterType, Pointee, Program, ResultType, ScalarType, Signature};
use labrys_solver::RealModel;
use labrys_symex::{EveryPath, Options, SiteExecution, explore, float_condition};
use labrys_term::reals::Abstraction;
use labrys_term::{Evaluator, Model, Sort, Store, TermId, Value};

/// The site executions of two builds.
pub struct Builds {
    pub store: Store,
    pub abstraction: Abstraction,
    pub baseline: Vec<SiteExecution>,
    pub variant: Vec<SiteExecution>,
    /// The inputs' Float variables.
    pub inputs: Vec<TermId>,
}

/// The example `name` at -O0 and at -O3 -ffast-math.
pub fn builds(name: &str, parameters: &[&str]) -> Builds {
    let mut store = Store::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(format!("{name}.c"));
    let baseline = executions(&source, name, &["-O0"], parameters, &mut store);
    let variant = executions(&source, name, &["-O3", "-ffast-math"], parameters, &mut store);
    let inputs = parameters.iter().map(|name| store.variable(name, Sort::Float(Format::BINARY64))).collect();
    Builds { store, abstraction: Abstraction::new(), baseline, variant, inputs }
}

fn executions(source: &Path, name: &str, flags: &[&str], parameters: &[&str], store: &mut Store) -> Vec<SiteExecution> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = folder.path().join("program.bc");
    let mut command = Command::new("clang-22");
    command.args(["-c", "-emit-llvm", "-g", "-o"]).arg(&output).args(flags).arg(source);
    let result = command.output().expect("clang-22 runs");
    assert!(result.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&result.stderr));
    let program = Program::from_bitcode_file(&output).expect("clang's bitcode is read");
    let double = Pointee::Scalar(ScalarType::Float(FloatType::F64));
    let parameter = |name: &&str| Parameter { name: (*name).to_owned(), ty: ParameterType::Value(double.clone()) };
    let signature = Signature {
        name: name.to_owned(),
        symbol: name.to_owned(),
        parameters: parameters.iter().map(parameter).collect(),
        result: ResultType::Value(double.clone()),
    };
    let function = program.function(name).expect("the example defines it");
    let binding = map_parameters(&signature, &program, function).expect("doubles are passed as they are");
    explore(&program, function, &binding, &signature, store, &Options::default(), &mut EveryPath).executions
}

impl Builds {
    /// The inputs' Real variables.
    pub fn real_inputs(&mut self) -> Vec<TermId> {
        let inputs = self.inputs.clone();
        inputs
            .into_iter()
            .map(|input| self.abstraction.term(&mut self.store, input).expect("variables have readings"))
            .collect()
    }

    /// The floats around a model of Real variables: each coordinate's two neighbours, and one ulp beyond.
    pub fn inputs_near(&mut self, model: &RealModel) -> Vec<Vec<Float>> {
        let mut points: Vec<Vec<Float>> = vec![Vec::new()];
        for input in self.real_inputs() {
            let variable = self.store.as_variable(input).expect("a variable");
            let (below, above) = match model.values.get(&variable) {
                Some(value) => value.round_both(Format::BINARY64),
                None => (Float::zero(Format::BINARY64, false), Float::zero(Format::BINARY64, false)),
            };
            let mut choices = vec![below.next_down(), below, above.clone(), above.next_up()];
            choices.dedup();
            points = points
                .iter()
                .flat_map(|point| {
                    choices.iter().map(|choice| [point.as_slice(), std::slice::from_ref(choice)].concat())
                })
                .collect();
        }
        points
    }

    /// The severe exceptions that each build's IR raises on an input, by exact evaluation over the floats.
    pub fn severe(&mut self, input: &[Float]) -> (Flags, Flags) {
        let mut model = Model::new();
        for (variable, value) in self.inputs.iter().zip(input) {
            assert!(model.set_term(&self.store, *variable, Value::Float(value.clone())));
        }
        let raised = |store: &mut Store, executions: &[SiteExecution]| {
            let mut conditions = Vec::new();
            for execution in executions {
                for exception in [Flags::INVALID, Flags::DIVBYZERO, Flags::OVERFLOW] {
                    if let Some(term) = float_condition(store, execution, exception) {
                        conditions.push((exception, term.expect("arithmetic only")));
                    }
                }
            }
            let mut evaluator = Evaluator::new(store, &model);
            let holds = |(_, term): &&(Flags, TermId)| evaluator.holds(*term).expect("all inputs have values");
            conditions.iter().filter(holds).fold(Flags::empty(), |all, (exception, _)| all | *exception)
        };
        (raised(&mut self.store, &self.baseline), raised(&mut self.store, &self.variant))
    }
}
