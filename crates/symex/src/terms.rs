//! The Float-term domain: floats are terms over the inputs, and every operation that can raise an exception is recorded.

use labrys_elementary::Function;
use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_interp::{
    ClassMask, Datum, Domain, FloatComparison, FloatOperation, Int, IntOperation, Lookup, Place, ScalarKind, Soft,
    Stop, ToInteger, leaf_kind,
};
use labrys_program::{BlockId, FastMath, FloatCall, FunctionId, Leaf, Program, ScalarType};
use labrys_term::{Op, Sort, Store, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::float_terms::Folding;
use crate::goals::SiteAt;
use crate::loops::{BackEdges, back_edges};
use crate::path::TermPath;
use crate::{
    LibraryCall, LibraryOperator, LoopCut, Site, SiteExecution, SiteOperator, float_terms, int_facts, int_terms, lookup,
};

/// The sort of an input leaf's variable: Float; Bool for `bool`, else BitVec.
pub fn leaf_sort(scalar: ScalarType) -> Sort {
    match (scalar, leaf_kind(scalar)) {
        (ScalarType::Bool, _) => Sort::Bool,
        (_, ScalarKind::Float(format)) => Sort::Float(format),
        (_, ScalarKind::Int(bits)) => Sort::BitVec(bits),
        (_, ScalarKind::Pointer) => Sort::BitVec(64),
    }
}

/// The variable of an input leaf, named by its path; the same in all explorations of one store.
pub fn leaf_variable(store: &mut Store, leaf: &Leaf) -> TermId {
    store.variable(&leaf.path, leaf_sort(leaf.scalar))
}

/// The domain.
pub(crate) struct Terms<'s, 'p> {
    pub(crate) store: &'s mut Store,
    program: &'p Program,
    pub(crate) executions: Vec<SiteExecution>,
    pub(crate) library_calls: Vec<LibraryCall>,
    /// Variables of library calls made so far.
    called: FxHashSet<TermId>,
    loop_bound: u32,
    /// Which operations on literals are computed.
    folding: Folding,
    back_edges: FxHashMap<FunctionId, BackEdges>,
    /// Blocks that some path has entered.
    pub(crate) entered: FxHashSet<(FunctionId, BlockId)>,
    /// Sites that some path has executed.
    pub(crate) executed: FxHashSet<SiteAt>,
    /// How often each loop, by its header, was cut; in order of first appearance.
    pub(crate) cuts: Vec<((FunctionId, BlockId), usize)>,
}

impl<'s, 'p> Terms<'s, 'p> {
    pub(crate) fn new(
        store: &'s mut Store,
        program: &'p Program,
        loop_bound: u32,
        keeps_roundings: bool,
    ) -> Terms<'s, 'p> {
        Terms {
            store,
            program,
            executions: Vec::new(),
            library_calls: Vec::new(),
            called: FxHashSet::default(),
            loop_bound,
            folding: if keeps_roundings { Folding::Exact } else { Folding::All },
            back_edges: FxHashMap::default(),
            entered: FxHashSet::default(),
            executed: FxHashSet::default(),
            cuts: Vec::new(),
        }
    }

    /// Forgets what was executed so far.
    pub(crate) fn forget(&mut self) {
        self.executions.clear();
        self.library_calls.clear();
        self.called.clear();
        self.entered.clear();
        self.executed.clear();
        self.cuts.clear();
    }

    /// The loops that were cut.
    pub(crate) fn loop_cuts(&self) -> Vec<LoopCut> {
        let cut = |&((function, header), paths): &((FunctionId, BlockId), usize)| {
            let function = &self.program.functions[function.index()];
            let block = &function.blocks[header.index()];
            let location = block.instructions.iter().find_map(|instruction| instruction.location);
            LoopCut { function: function.name.clone(), location: location.or(block.terminator_location), paths }
        };
        self.cuts.iter().map(cut).collect()
    }

    /// The value of an input leaf: its variable, or the bits it is fixed to.
    pub(crate) fn input(&mut self, leaf: &Leaf, fixed: Option<u128>) -> Datum<TermId, TermId> {
        match (leaf_kind(leaf.scalar), fixed) {
            (ScalarKind::Float(format), Some(bits)) => {
                Datum::Float(self.store.float_const(Float::from_bits(format, bits)))
            }
            (ScalarKind::Float(_), None) => Datum::Float(leaf_variable(self.store, leaf)),
            (ScalarKind::Int(width), Some(bits)) => Datum::Int(Int::new(width, bits)),
            (ScalarKind::Int(width), None) => {
                let width = if leaf.scalar == ScalarType::Bool { 1 } else { width };
                Datum::Int(Int::symbolic(width, leaf_variable(self.store, leaf)))
            }
            (ScalarKind::Pointer, _) => Datum::Int(Int::symbolic(64, leaf_variable(self.store, leaf))),
        }
    }

    fn record(&mut self, path: &TermPath, place: &Place, operation: SiteOperator, operands: &[TermId], result: TermId) {
        let operator = match place.is_power {
            true => SiteOperator::Library(LibraryOperator::IntegerPower),
            false => operation.clone(),
        };
        self.record_as(operator, path, place, operation, operands, result);
    }

    /// Records an execution of a site whose operator is not the operation.
    fn record_as(
        &mut self,
        operator: SiteOperator,
        path: &TermPath,
        place: &Place,
        operation: SiteOperator,
        operands: &[TermId],
        result: TermId,
    ) {
        if place.in_library {
            return;
        }
        self.executed.insert((place.function, place.block, place.instruction));
        let format = self.store.float_format(result).or_else(|| self.store.float_format(*operands.first()?));
        self.executions.push(SiteExecution {
            site: Site {
                function: self.program.functions[place.function.index()].name.clone(),
                location: place.location,
                block: place.block.0,
                instruction: place.instruction,
                lane: place.lane,
                operator,
            },
            path: path.condition,
            operation,
            operands: operands.to_vec(),
            result,
            format: format.unwrap_or(Format::BINARY64),
            fast_math: place.fast_math != FastMath::default(),
            reached_by_poison: place.tainted,
        });
    }

    /// A variable for the result of a call that no term expresses.
    fn variable_result(&mut self, place: &Place, call: FloatCall, operands: &[TermId], shown: &[TermId]) -> TermId {
        let format = float_terms::format(self.store, operands[0]);
        // Terms are hash-consed: equal operands have equal indices, so that equal calls get one variable.
        let indices: Vec<String> = shown.iter().map(|term| term.index().to_string()).collect();
        let name = format!("{}!{}", call.operator(), indices.join("!"));
        let variable = self.store.variable(&name, Sort::Float(format));
        if self.called.insert(variable) {
            let bounds = match call {
                FloatCall::Elementary(function) => function.bounds(),
                _ => None,
            };
            let fact = bounds.map(|bounds| self.range_fact(variable, format, bounds));
            self.library_calls.push(LibraryCall {
                variable,
                call,
                operands: shown.to_vec(),
                fact,
                location: place.location,
            });
        }
        variable
    }

    /// lower ≤ x ≤ upper, unless x is NaN. The bounds are rounded to the format, which keeps them in the range: they
    /// are either exact in it or have room to spare.
    fn range_fact(&mut self, variable: TermId, format: Format, (lower, upper): (f64, f64)) -> TermId {
        let environment = Environment::default();
        let mut bound = |value: f64| {
            let value = environment.convert(&Float::from_f64(value), format).value;
            self.store.float_const(value)
        };
        let (lower, upper) = (bound(lower), bound(upper));
        let nan = self.store.mk(Op::FpIsNan, &[variable]);
        let above = self.store.mk(Op::FpLe, &[lower, variable]);
        let below = self.store.mk(Op::FpLe, &[variable, upper]);
        let inside = self.store.and(&[above, below]);
        self.store.or(&[nan, inside])
    }
}

impl Domain for Terms<'_, '_> {
    type Float = TermId;
    type Symbol = TermId;
    type Path = TermPath;

    fn float_constant(&mut self, value: &Float) -> TermId {
        self.store.float_const(value.clone())
    }

    fn float_format(&self, value: &TermId) -> Format {
        float_terms::format(self.store, *value)
    }

    fn float_operation(
        &mut self,
        path: &mut TermPath,
        place: &Place,
        operation: FloatOperation,
        operands: &[TermId],
    ) -> Result<TermId, Stop> {
        let result = float_terms::operation(self.store, operation, operands, self.folding);
        if let Some(operator) = SiteOperator::of(operation, self.float_format(&operands[0])) {
            self.record(path, place, operator, operands, result);
        }
        Ok(result)
    }

    fn float_compare(
        &mut self,
        path: &mut TermPath,
        place: &Place,
        comparison: FloatComparison,
        lhs: &TermId,
        rhs: &TermId,
    ) -> Result<Int<TermId>, Stop> {
        let result = float_terms::compare(self.store, comparison.predicate, *lhs, *rhs);
        let operator = SiteOperator::Compare { signaling: comparison.signaling };
        self.record(path, place, operator, &[*lhs, *rhs], result);
        Ok(int_terms::as_int(self.store, 1, result))
    }

    fn float_class(&mut self, value: &TermId, mask: ClassMask) -> Int<TermId> {
        let term = float_terms::class(self.store, *value, mask);
        int_terms::as_int(self.store, 1, term)
    }

    fn float_to_int(
        &mut self,
        path: &mut TermPath,
        place: &Place,
        conversion: ToInteger,
        value: &TermId,
    ) -> Result<(Int<TermId>, bool), Stop> {
        let ToInteger { bits, signed, .. } = conversion;
        let operator = SiteOperator::FloatToInt { bits, signed };
        if let Some(literal) = float_terms::literal(self.store, *value) {
            let soft = Soft::new(Environment::default());
            let (known, is_poison, _) = soft.convert_to_int(conversion, literal);
            if is_poison && bits > 128 {
                return Err(Stop::unsupported(format!("a float out of the range of integers of {bits} bits")));
            }
            let result = int_terms::as_bit_vector(self.store, &known);
            self.record(path, place, operator, &[*value], result);
            return Ok((known, is_poison));
        }
        if bits == 1 {
            return Err(Stop::unsupported("conversions of floats to one bit"));
        }
        let result = float_terms::to_integer(self.store, conversion, *value);
        self.record(path, place, operator, &[*value], result);
        Ok((int_terms::as_int(self.store, bits, result), false))
    }

    fn int_to_float(
        &mut self,
        path: &mut TermPath,
        place: &Place,
        value: &Int<TermId>,
        signed: bool,
        format: Format,
    ) -> Result<TermId, Stop> {
        // Clang's code rounds wide integers to nearest, too, but by way of other formats, and gives numbers of no meaning where they do not fit.
        let most = value.bits() - u32::from(signed);
        if value.bits() > 128 && (format != Format::BINARY64 || i64::from(most) > format.max_exponent()) {
            return Err(Stop::unsupported(format!(
                "integers of {} bits as floats of {}",
                value.bits(),
                format.width()
            )));
        }
        let mode = RoundingMode::NearestEven;
        let result = float_terms::from_integer(self.store, value, signed, format, mode, self.folding);
        let operand = int_terms::as_bit_vector(self.store, value);
        let operator = SiteOperator::IntToFloat { bits: value.bits(), signed, to: format };
        self.record(path, place, operator, &[operand], result);
        Ok(result)
    }

    fn float_scale(
        &mut self,
        path: &mut TermPath,
        place: &Place,
        value: &TermId,
        exponent: &Int<TermId>,
    ) -> Result<TermId, Stop> {
        let format = float_terms::format(self.store, *value);
        let ldexp = SiteOperator::Library(LibraryOperator::Scale);
        let power = exponent.signed().and_then(|exponent| float_terms::power_of_two(format, exponent));
        if let Some(power) = power {
            // A product by an exact power of two rounds once, as ldexp does. Conditions see the two factors.
            let power = self.store.float_const(power);
            let result = float_terms::operation(self.store, FloatOperation::Mul, &[*value, power], self.folding);
            self.record_as(ldexp, path, place, SiteOperator::Mul, &[*value, power], result);
            return Ok(result);
        }
        let exponent = int_terms::as_bit_vector(self.store, exponent);
        if let Some((product, result)) = float_terms::scaled(self.store, *value, exponent) {
            let rounding = SiteOperator::Convert { from: Format::BINARY128, to: format };
            self.record_as(ldexp, path, place, rounding, &[product], result);
            return Ok(result);
        }
        let result = self.variable_result(place, FloatCall::Scale, &[*value], &[*value, exponent]);
        self.record(path, place, ldexp, &[], result);
        Ok(result)
    }

    fn fraction_exponent(
        &mut self,
        _: &mut TermPath,
        place: &Place,
        value: &TermId,
    ) -> Result<(TermId, Int<TermId>), Stop> {
        if let Some(literal) = float_terms::literal(self.store, *value).cloned() {
            let (fraction, exponent) = Soft::new(Environment::default()).fraction_and_exponent(&literal);
            return Ok((self.store.float_const(fraction), Int::new(32, exponent as u128)));
        }
        // An infinity comes back as it is, so no range is claimed.
        let fraction = self.variable_result(place, FloatCall::FractionExponent, &[*value], &[*value]);
        let name = format!("frexp.exponent!{}", value.index());
        let exponent = self.store.variable(&name, Sort::BitVec(32));
        Ok((fraction, Int::symbolic(32, exponent)))
    }

    fn elementary(
        &mut self,
        path: &mut TermPath,
        place: &Place,
        function: Function,
        operands: &[TermId],
    ) -> Result<TermId, Stop> {
        let result = self.variable_result(place, FloatCall::Elementary(function), operands, operands);
        let operator = SiteOperator::Library(LibraryOperator::Elementary(function));
        self.record(path, place, operator, operands, result);
        Ok(result)
    }

    fn float_to_bits(&mut self, value: &TermId) -> Int<TermId> {
        float_terms::to_bits(self.store, *value, self.folding)
    }

    fn float_from_bits(&mut self, bits: &Int<TermId>, format: Format) -> TermId {
        float_terms::from_bits(self.store, bits, format)
    }

    fn float_select(&mut self, condition: &TermId, if_true: &TermId, if_false: &TermId) -> TermId {
        int_terms::ite(self.store, *condition, *if_true, *if_false)
    }

    fn int_operation(&mut self, _: &TermId, operation: IntOperation, operands: &[Int<TermId>]) -> Int<TermId> {
        int_terms::operation(self.store, operation, operands)
    }

    fn known_value(&self, path: &TermPath, symbol: &TermId) -> Option<u128> {
        int_facts::value_under(self.store, path, *symbol)
    }

    fn stride(&self, symbol: &TermId) -> (u64, u64) {
        int_terms::stride(self.store, *symbol)
    }

    fn lookup(&mut self, symbol: &TermId, candidates: &[u128]) -> Option<Lookup<TermId>> {
        lookup::lookup(self.store, *symbol, candidates)
    }

    fn edge(
        &mut self,
        path: &mut TermPath,
        function: FunctionId,
        depth: usize,
        from: BlockId,
        to: BlockId,
    ) -> Result<(), Stop> {
        self.entered.insert((function, to));
        let program = self.program;
        let edges = self.back_edges.entry(function).or_insert_with(|| back_edges(&program.functions[function.index()]));
        let Some(latches) = edges.get(&to) else { return Ok(()) };
        if !latches.contains(&from) {
            path.enter_loop(depth, function, latches, to);
        } else if path.take_back_edge(depth, function, from, to) > self.loop_bound {
            match self.cuts.iter_mut().find(|(header, _)| *header == (function, to)) {
                Some((_, paths)) => *paths += 1,
                None => self.cuts.push(((function, to), 1)),
            }
            return Err(Stop::LoopBound);
        }
        Ok(())
    }
}
