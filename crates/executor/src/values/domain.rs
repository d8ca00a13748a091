//! The machine's domain: what it asks of values, answered by the files beside this one.

use labrys_elementary::Function;
use labrys_float::{Float, Format, Rounded};
use labrys_interp::{
    Base, ClassMask, Domain, FloatComparison, FloatOperation, Int, IntOperation, Lookup, Place, Stop, ToInteger,
    call_host,
};
use labrys_program::{BlockId, FloatPredicate, FunctionId};
use labrys_symex::{float_terms, int_facts, int_terms, known_address, lookup, possible_values};
use labrys_term::{Op, Sort, TermId};

use super::environment::Raising;
use super::extremes::is_minimum;
use super::{FloatValue, Values, concrete, encoding, libm, undefined};
use crate::Path;

impl Domain for Values<'_> {
    type Float = FloatValue;
    type Symbol = TermId;
    type Path = Path;

    fn float_constant(&mut self, value: &Float) -> FloatValue {
        FloatValue::of(value)
    }

    fn float_format(&self, value: &FloatValue) -> Format {
        self.format_of(value)
    }

    fn float_operation(
        &mut self,
        path: &mut Path,
        place: &Place,
        operation: FloatOperation,
        operands: &[FloatValue],
    ) -> Result<FloatValue, Stop> {
        if is_minimum(operation).is_some() {
            return self.extreme(&mut path.environment, place.in_library, operation, operands);
        }
        self.operate(&mut path.environment, operation, operands)
    }

    fn float_compare(
        &mut self,
        path: &mut Path,
        place: &Place,
        comparison: FloatComparison,
        lhs: &FloatValue,
        rhs: &FloatValue,
    ) -> Result<Int<TermId>, Stop> {
        let FloatPredicate { less, equal, greater, unordered } = comparison.predicate;
        if !comparison.signaling && less == equal && equal == greater && greater == unordered {
            // No code is made of it, and nothing is raised.
            return Ok(Int::bool(less));
        }
        if let (FloatValue::Concrete { format, bits: a }, FloatValue::Concrete { bits: b, .. }) = (*lhs, *rhs) {
            if let Some(recorder) = &mut self.recorder {
                recorder.compare(place, (format, a, b));
            }
            let (holds, flags) = concrete::compare(comparison, format, a, b);
            path.environment.raised |= flags;
            return Ok(Int::bool(holds));
        }
        let (a, b) = (self.term(lhs), self.term(rhs));
        let raising = if comparison.signaling { Raising::Unordered(a, b) } else { Raising::Signaling(a, b) };
        self.note(&mut path.environment, raising);
        let result = float_terms::compare(self.store, comparison.predicate, a, b);
        Ok(int_terms::as_int(self.store, 1, result))
    }

    fn float_class(&mut self, value: &FloatValue, mask: ClassMask) -> Int<TermId> {
        self.is_of_class(value, mask)
    }

    fn float_to_int(
        &mut self,
        path: &mut Path,
        place: &Place,
        conversion: ToInteger,
        value: &FloatValue,
    ) -> Result<(Int<TermId>, bool), Stop> {
        let int = self.convert_to_integer(&mut path.environment, conversion, value)?;
        // Instructions convert whole vectors to signed integers of 32 bits, and lanes to those of 64; other lanes that do not fit are cut or
        // saturated, as code generation likes.
        if !place.is_vector || conversion.saturating || (conversion.signed && matches!(conversion.bits, 32 | 64)) {
            return Ok((int, false));
        }
        let is_out = self.is_out_of_range(&path.environment, conversion, value)?;
        let any = self.open_integer("lane", int.bits());
        Ok((self.chosen_integer(&is_out, &any, &int), false))
    }

    fn int_to_float(
        &mut self,
        path: &mut Path,
        _: &Place,
        value: &Int<TermId>,
        signed: bool,
        format: Format,
    ) -> Result<FloatValue, Stop> {
        self.convert_from_integer(&mut path.environment, value, signed, format)
    }

    fn float_scale(
        &mut self,
        path: &mut Path,
        _: &Place,
        value: &FloatValue,
        exponent: &Int<TermId>,
    ) -> Result<FloatValue, Stop> {
        self.scale(&mut path.environment, value, exponent)
    }

    fn fraction_exponent(
        &mut self,
        path: &mut Path,
        _: &Place,
        value: &FloatValue,
    ) -> Result<(FloatValue, Int<TermId>), Stop> {
        self.fraction_and_exponent(&mut path.environment, value)
    }

    fn elementary(
        &mut self,
        path: &mut Path,
        _: &Place,
        function: Function,
        operands: &[FloatValue],
    ) -> Result<FloatValue, Stop> {
        let Some(known) = libm::known(operands)? else { return self.call(&mut path.environment, function, operands) };
        self.libm.has_called_host = true;
        let Rounded { value, flags } = call_host(function, &known, path.environment.rounding)?;
        path.environment.raised |= flags;
        Ok(FloatValue::of(&value))
    }

    fn regular(&mut self, value: &FloatValue) -> Option<(Int<TermId>, FloatValue)> {
        let FloatValue::Symbolic(term) = *value else { return None };
        let (odd, regular) = self.encodings.regular(self.store, term)?;
        Some((int_terms::as_int(self.store, 1, odd), self.float(regular)))
    }

    fn tiny_is_reported(&mut self, function: Function, operands: &[FloatValue]) -> Result<Int<TermId>, Stop> {
        self.tiny_result_is_reported(function, operands)
    }

    fn float_to_bits(&mut self, value: &FloatValue) -> Int<TermId> {
        match *value {
            FloatValue::Concrete { format, bits } => Int::new(format.width(), bits),
            FloatValue::Symbolic(term) => {
                let width = encoding::format(self.store, term).width();
                let bits = self.encodings.bits(self.store, term);
                int_terms::as_int(self.store, width, bits)
            }
        }
    }

    fn float_from_bits(&mut self, bits: &Int<TermId>, format: Format) -> FloatValue {
        if let Some(bits) = bits.concrete() {
            return FloatValue::concrete(format, bits);
        }
        let vector = int_terms::as_bit_vector(self.store, bits);
        if let Some(number) = self.encodings.number(vector)
            && encoding::format(self.store, number) == format
        {
            return self.float(number);
        }
        FloatValue::Symbolic(self.store.mk(Op::FpFromBits(format), &[vector]))
    }

    fn float_select(&mut self, condition: &TermId, if_true: &FloatValue, if_false: &FloatValue) -> FloatValue {
        let (a, b) = (self.term(if_true), self.term(if_false));
        let chosen = int_terms::ite(self.store, *condition, a, b);
        self.float(chosen)
    }

    fn int_operation(&mut self, _: &TermId, operation: IntOperation, operands: &[Int<TermId>]) -> Int<TermId> {
        self.addresses
            .operation(self.store, operation, operands)
            .or_else(|| undefined::masked(self.store, operation, operands))
            .unwrap_or_else(|| int_terms::operation(self.store, operation, operands))
    }

    fn known_value(&self, path: &Path, symbol: &TermId) -> Option<u128> {
        int_facts::value_under(self.store, &path.choices, *symbol)
    }

    fn stride(&self, symbol: &TermId) -> (u64, u64) {
        int_terms::stride(self.store, *symbol)
    }

    fn lookup(&mut self, symbol: &TermId, candidates: &[u128]) -> Option<Lookup<TermId>> {
        lookup(self.store, *symbol, candidates)
    }

    fn rounding(&self, path: &Path) -> labrys_float::RoundingMode {
        path.environment.rounding
    }

    fn possible(&mut self, path: &Path, symbol: &TermId, candidates: Vec<u128>) -> Vec<u128> {
        match *self.store.sort(*symbol) {
            Sort::BitVec(bits) if bits <= 128 => possible_values(self.store, &path.choices, *symbol, bits, candidates),
            _ => candidates,
        }
    }

    fn known_address(&self, symbol: &TermId) -> Option<u64> {
        /// Below every object.
        const LEAST: u64 = 1 << 20;
        match self.addresses.are_open {
            true => self.address_in(*symbol),
            false => known_address(self.store, *symbol, LEAST),
        }
    }

    fn open_address(&mut self, base: Base) -> Option<Int<TermId>> {
        self.addresses.address(self.store, base)
    }

    fn opens_addresses(&self) -> bool {
        self.addresses.are_open
    }

    fn watches_instructions(&self, path: &Path) -> bool {
        !self.is_plain(&path.environment)
    }

    fn undefined(&mut self, bits: u32) -> Option<Int<TermId>> {
        Some(self.undefined.integer(self.store, bits))
    }

    fn known_float(&self, value: &FloatValue) -> Option<u64> {
        match *value {
            FloatValue::Concrete { format, bits } if format.width() <= 64 => Some(bits as u64),
            _ => None,
        }
    }

    #[inline]
    fn known_operation(&self, path: &Path, operation: FloatOperation, format: Format, operands: &[u64]) -> Option<u64> {
        if !self.is_plain(&path.environment) {
            return None;
        }
        concrete::hardware_words(operation, format, operands)
    }

    #[inline]
    fn known_comparison(&self, predicate: FloatPredicate, format: Format, lhs: u64, rhs: u64) -> Option<bool> {
        // Where comparisons are told, each is asked for.
        if self.recorder.as_ref().is_some_and(|recorder| recorder.comparisons.is_some()) {
            return None;
        }
        concrete::compare_words(predicate, format, lhs, rhs)
    }

    fn is_interrupted(&self) -> bool {
        self.has_found()
    }

    fn enter(&mut self, _: &mut Path, function: FunctionId) {
        if let Some(recorder) = &mut self.recorder {
            recorder.enter(function);
        }
    }

    fn count(&mut self, _: &mut Path, place: &Place, value: u32) {
        if let Some(recorder) = &mut self.recorder {
            recorder.count(place, value);
        }
    }

    fn edge(
        &mut self,
        path: &mut Path,
        function: FunctionId,
        depth: usize,
        from: BlockId,
        to: BlockId,
    ) -> Result<(), Stop> {
        if let Some(recorder) = &mut self.recorder {
            recorder.edge(function, from, to);
        }
        if let Some(marks) = &self.marks {
            self.has_come_to_mark |= marks.is_marked(function, to);
        }
        let Some((bound, loops)) = &self.loops else { return Ok(()) };
        let Some(latches) = loops.get(function.index()).and_then(|edges| edges.get(&to)) else { return Ok(()) };
        if !latches.contains(&from) {
            path.choices.enter_loop(depth, function, latches, to);
        } else if path.choices.take_back_edge(depth, function, from, to) > *bound {
            return Err(Stop::LoopBound);
        }
        Ok(())
    }
}
