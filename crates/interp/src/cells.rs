//! The contents of a memory object: typed cells that tile it.
//!
//! Invariant: cells are sorted, do not overlap and cover every byte of the object. A scalar that is stored and loaded
//! with the same type at the same place comes back as it was, so that the terms of a symbolic domain keep their shape.
//! Other accesses see the bytes: whole pieces of cells are cut out and joined, never single bytes of symbols unless
//! the program asks for them.

use num_bigint::BigUint;
use smallvec::{SmallVec, smallvec};

use crate::bits;
use crate::merging::Join;
use crate::types::ScalarKind;
use crate::value::WORD_BITS;
use crate::{Base, Datum, Domain, Int, Pointer, Scalar};

/// One cell.
#[derive(Clone, Debug)]
struct Cell<F, S> {
    /// Offset in the object in bytes.
    offset: u64,
    /// Size in bytes; for scalars, their kind's.
    size: u64,
    content: Content<F, S>,
}

/// What a cell holds.
#[derive(Clone, Debug)]
enum Content<F, S> {
    /// Nothing yet: reads are tainted.
    Uninitialised,
    /// The same byte everywhere.
    Fill(u8),
    /// A scalar.
    Scalar(Scalar<F, S>),
}

/// The cells of one object.
#[derive(Clone, Debug)]
pub(crate) struct Cells<F, S> {
    /// Of most objects, one.
    cells: SmallVec<[Cell<F, S>; 1]>,
}

/// What an access to a whole cell, or to a part of one that is filled, finds.
pub(crate) enum Held<'a, F, S> {
    /// The scalar that was written.
    Scalar(&'a Scalar<F, S>),
    /// The same byte everywhere.
    Fill(u8),
}

/// A run of cells cut out of an object, offsets from its start.
pub(crate) struct Extent<F, S> {
    cells: Vec<Cell<F, S>>,
}

impl<F: Clone, S: Clone> Cells<F, S> {
    /// `size` bytes, uninitialised or all `fill`.
    pub(crate) fn new(size: u64, fill: Option<u8>) -> Cells<F, S> {
        let content = fill.map_or(Content::Uninitialised, Content::Fill);
        let cells = if size == 0 { SmallVec::new() } else { smallvec![Cell { offset: 0, size, content }] };
        Cells { cells }
    }

    /// The scalars in it.
    pub(crate) fn scalars(&self) -> impl Iterator<Item = &Scalar<F, S>> {
        self.cells.iter().filter_map(|cell| match &cell.content {
            Content::Scalar(scalar) => Some(scalar),
            Content::Uninitialised | Content::Fill(_) => None,
        })
    }

    /// Index of the cell that holds the byte at `offset`, which is inside the object.
    fn position(&self, offset: u64) -> usize {
        self.cells.partition_point(|cell| cell.offset <= offset) - 1
    }

    /// The index of the cell of so many bytes at `offset`, if there is one. Cells are often all of one size.
    #[inline]
    pub(crate) fn cell(&self, offset: u64, size: u64) -> Option<usize> {
        let is_it = |cell: &Cell<F, S>| cell.offset == offset && cell.size == size;
        let guess = if size.is_power_of_two() { (offset >> size.trailing_zeros()) as usize } else { 0 };
        if self.cells.get(guess).is_some_and(is_it) {
            return Some(guess);
        }
        let at = self.cells.partition_point(|cell| cell.offset <= offset).checked_sub(1)?;
        is_it(&self.cells[at]).then_some(at)
    }

    /// What a cell of so many bytes at `offset` holds, or a filled one around; `None` where there is neither.
    #[inline]
    pub(crate) fn held(&self, offset: u64, size: u64) -> Option<Held<'_, F, S>> {
        if let Some(at) = self.cell(offset, size)
            && let Content::Scalar(scalar) = &self.cells[at].content
        {
            return Some(Held::Scalar(scalar));
        }
        let cell = &self.cells[self.cells.partition_point(|cell| cell.offset <= offset).checked_sub(1)?];
        match cell.content {
            Content::Fill(byte) if offset + size <= cell.offset + cell.size => Some(Held::Fill(byte)),
            _ => None,
        }
    }

    /// Has a cell hold a scalar of its size.
    pub(crate) fn set(&mut self, cell: usize, scalar: Scalar<F, S>) {
        if let Some(cell) = self.cells.get_mut(cell) {
            cell.content = Content::Scalar(scalar);
        }
    }

    /// Reads a scalar at `offset`; the range is inside the object.
    pub(crate) fn load<D>(&self, domain: &mut D, offset: u64, kind: ScalarKind) -> Scalar<F, S>
    where
        D: Domain<Float = F, Symbol = S>,
    {
        let cell = &self.cells[self.position(offset)];
        if cell.offset == offset
            && cell.size == kind.size()
            && let Content::Scalar(scalar) = &cell.content
        {
            return reinterpret(domain, scalar, kind);
        }
        let (joined, tainted) = self.join(domain, offset, kind.size());
        reinterpret(domain, &Scalar { datum: Datum::Int(joined), tainted }, kind)
    }

    /// The `size` bytes at `offset` as one integer, and whether it is tainted: where any of them is, unless all others are kept apart from bits of any
    /// value, as a struct's are from its padding when it is passed in a register.
    pub(crate) fn join<D>(&self, domain: &mut D, offset: u64, size: u64) -> (Int<S>, bool)
    where
        D: Domain<Float = F, Symbol = S>,
    {
        let end = offset + size;
        let mut pieces: SmallVec<[(Int<S>, bool); 8]> = SmallVec::new();
        for cell in self.cells[self.position(offset)..].iter().take_while(|cell| cell.offset < end) {
            let (low, high) = (offset.max(cell.offset), end.min(cell.offset + cell.size));
            pieces.push(part(domain, cell, low, high));
        }
        let mut tainted = pieces.iter().any(|(_, taint)| *taint);
        if tainted && !pieces.iter().all(|(_, taint)| *taint) {
            tainted = false;
            for (piece, taint) in pieces.iter_mut().filter(|(_, taint)| *taint) {
                match domain.undefined(piece.bits()) {
                    Some(any) => *piece = any,
                    None => tainted |= *taint,
                }
            }
        }
        let joined =
            pieces.into_iter().map(|(piece, _)| piece).reduce(|lower, piece| bits::concat(domain, &piece, &lower));
        (joined.unwrap_or_else(|| Int::new(1, 0)), tainted)
    }

    /// Writes a scalar of so many bytes at `offset`; the range is inside the object.
    pub(crate) fn store<D>(&mut self, domain: &mut D, offset: u64, size: u64, scalar: Scalar<F, S>)
    where
        D: Domain<Float = F, Symbol = S>,
    {
        let at = self.position(offset);
        let cell = &mut self.cells[at];
        if cell.offset == offset && cell.size == size {
            cell.content = Content::Scalar(scalar);
            return;
        }
        let new = Cell { offset, size, content: Content::Scalar(scalar) };
        self.replace(domain, offset, offset + size, vec![new]);
    }

    /// Sets a range to one byte value.
    pub(crate) fn fill<D>(&mut self, domain: &mut D, offset: u64, size: u64, byte: u8)
    where
        D: Domain<Float = F, Symbol = S>,
    {
        if size > 0 {
            self.replace(domain, offset, offset + size, vec![Cell { offset, size, content: Content::Fill(byte) }]);
        }
    }

    /// Makes a range uninitialised.
    pub(crate) fn forget<D>(&mut self, domain: &mut D, offset: u64, size: u64)
    where
        D: Domain<Float = F, Symbol = S>,
    {
        if size > 0 {
            self.replace(domain, offset, offset + size, vec![Cell { offset, size, content: Content::Uninitialised }]);
        }
    }

    /// Cuts a copy out of a range.
    pub(crate) fn extent<D>(&self, domain: &mut D, offset: u64, size: u64) -> Extent<F, S>
    where
        D: Domain<Float = F, Symbol = S>,
    {
        let end = offset + size;
        let mut cells = Vec::new();
        if size > 0 {
            for cell in &self.cells[self.position(offset)..] {
                if cell.offset >= end {
                    break;
                }
                let (low, high) = (offset.max(cell.offset), end.min(cell.offset + cell.size));
                let mut kept = cut(domain, cell, low, high);
                kept.offset -= offset;
                cells.push(kept);
            }
        }
        Extent { cells }
    }

    /// Puts a copied range down at `offset`; it fits into the object.
    pub(crate) fn paste<D>(&mut self, domain: &mut D, offset: u64, mut extent: Extent<F, S>)
    where
        D: Domain<Float = F, Symbol = S>,
    {
        for cell in &mut extent.cells {
            cell.offset += offset;
        }
        if let Some(end) = extent.cells.last().map(|cell| cell.offset + cell.size) {
            self.replace(domain, offset, end, extent.cells);
        }
    }

    /// The contents that stand for these and others, of an object of the same size; `None` where there are no such contents.
    pub(crate) fn joined<D>(&self, other: &Cells<F, S>, domain: &mut D, join: &mut impl Join<D>) -> Option<Cells<F, S>>
    where
        D: Domain<Float = F, Symbol = S>,
    {
        let mut cells = SmallVec::with_capacity(self.cells.len().max(other.cells.len()));
        let (mut at, mut i, mut j) = (0, 0, 0);
        while let (Some(a), Some(b)) = (self.cells.get(i), other.cells.get(j)) {
            let (end_a, end_b) = (a.offset + a.size, b.offset + b.size);
            // A scalar is joined whole, with what lies there on the other side; the rest up to where either changes.
            let scalar = [(a, i), (b, j)]
                .into_iter()
                .find(|(cell, _)| cell.offset == at && matches!(&cell.content, Content::Scalar(_)));
            let end = match scalar {
                Some((cell, _)) => cell.offset + cell.size,
                None => end_a.min(end_b),
            };
            cells.push(joined_range(domain, join, (self, other), (at, end), scalar.map(|(cell, _)| cell))?);
            at = end;
            while self.cells.get(i).is_some_and(|cell| cell.offset + cell.size <= at) {
                i += 1;
            }
            while other.cells.get(j).is_some_and(|cell| cell.offset + cell.size <= at) {
                j += 1;
            }
            // The next piece begins where cells of one side do.
            let begins = |cells: &[Cell<F, S>], index: usize| {
                cells.get(index).is_none_or(|cell| cell.offset == at || !matches!(&cell.content, Content::Scalar(_)))
            };
            if !begins(&self.cells, i) && !begins(&other.cells, j) {
                return None;
            }
        }
        Some(Cells { cells })
    }

    /// Replaces the bytes from `low` to `high`, which is not empty, by cells that tile them.
    fn replace<D>(&mut self, domain: &mut D, low: u64, high: u64, new: Vec<Cell<F, S>>)
    where
        D: Domain<Float = F, Symbol = S>,
    {
        let first = self.position(low);
        let last = self.position(high - 1);
        let mut tiles = Vec::with_capacity(new.len() + 2);
        if self.cells[first].offset < low {
            tiles.push(cut(domain, &self.cells[first], self.cells[first].offset, low));
        }
        tiles.extend(new);
        let end = self.cells[last].offset + self.cells[last].size;
        if end > high {
            tiles.push(cut(domain, &self.cells[last], high, end));
        }
        // One stays, for what has one cell to have it in place.
        let mut tiles = tiles.into_iter();
        if let Some(tile) = tiles.next() {
            self.cells[first] = tile;
        }
        self.cells.drain(first + 1..=last);
        self.cells.insert_many(first + 1, tiles);
    }
}

/// A domain's contents of objects.
type CellsOf<D> = Cells<<D as Domain>::Float, <D as Domain>::Symbol>;

/// A piece of two objects, one of whose cells is a scalar there if one is given.
fn joined_range<D: Domain>(
    domain: &mut D,
    join: &mut impl Join<D>,
    (a, b): (&CellsOf<D>, &CellsOf<D>),
    (low, high): (u64, u64),
    scalar: Option<&Cell<D::Float, D::Symbol>>,
) -> Option<Cell<D::Float, D::Symbol>> {
    let (offset, size) = (low, high - low);
    let Some(Cell { content: Content::Scalar(scalar), .. }) = scalar else {
        let content = match (&a.cells[a.position(low)].content, &b.cells[b.position(low)].content) {
            (Content::Uninitialised, Content::Uninitialised) => Content::Uninitialised,
            (Content::Fill(x), Content::Fill(y)) if x == y => Content::Fill(*x),
            (Content::Uninitialised, content @ Content::Fill(_)) if join.takes_second() => content.clone(),
            (Content::Uninitialised, Content::Fill(_)) if join.forget(true) => Content::Uninitialised,
            (Content::Fill(_), Content::Uninitialised) if join.forget(false) => Content::Uninitialised,
            // A scalar of one side begins before.
            _ => return None,
        };
        return Some(Cell { offset, size, content });
    };
    let kind = match &scalar.datum {
        Datum::Int(int) => ScalarKind::Int(int.bits()),
        Datum::Float(float) => ScalarKind::Float(domain.float_format(float)),
        Datum::Pointer(_) => ScalarKind::Pointer,
    };
    if kind.size() != size {
        return None;
    }
    let (x, y) = (a.load(domain, low, kind), b.load(domain, low, kind));
    if x.tainted != y.tainted && !join.takes_second() && join.forget(x.tainted) {
        return Some(Cell { offset, size, content: Content::Uninitialised });
    }
    Some(Cell { offset, size, content: Content::Scalar(join.scalar(domain, &x, &y)?) })
}

/// The part of a cell between two offsets of the object, as a cell.
fn cut<D: Domain>(domain: &mut D, cell: &Cell<D::Float, D::Symbol>, low: u64, high: u64) -> Cell<D::Float, D::Symbol> {
    if low == cell.offset && high == cell.offset + cell.size {
        return cell.clone();
    }
    let content = match &cell.content {
        Content::Uninitialised => Content::Uninitialised,
        Content::Fill(byte) => Content::Fill(*byte),
        Content::Scalar(_) => {
            let (piece, tainted) = part(domain, cell, low, high);
            Content::Scalar(Scalar { datum: Datum::Int(piece), tainted })
        }
    };
    Cell { offset: low, size: high - low, content }
}

/// An integer whose bytes are all the same.
pub(crate) fn filled<S>(width: u32, byte: u8) -> Int<S> {
    if width <= WORD_BITS {
        return Int::new(width, u128::from_le_bytes([byte; 16]));
    }
    Int::number(width, BigUint::from_bytes_le(&vec![byte; width.div_ceil(8) as usize]))
}

/// The bytes of a cell between two offsets of the object as an integer.
fn part<D: Domain>(domain: &mut D, cell: &Cell<D::Float, D::Symbol>, low: u64, high: u64) -> (Int<D::Symbol>, bool) {
    let width = 8 * (high - low) as u32;
    match &cell.content {
        Content::Uninitialised => (Int::new(width, 0), true),
        Content::Fill(byte) => (filled(width, *byte), false),
        Content::Scalar(scalar) => {
            let whole = encoding(domain, &scalar.datum);
            let whole = bits::zero_extend(domain, &whole, 8 * cell.size as u32);
            let (first, last) = (8 * (low - cell.offset) as u32, 8 * (high - cell.offset) as u32);
            (bits::extract(domain, &whole, last - 1, first), scalar.tainted)
        }
    }
}

/// A scalar's encoding in its own width.
pub(crate) fn encoding<D: Domain>(domain: &mut D, datum: &Datum<D::Float, D::Symbol>) -> Int<D::Symbol> {
    match datum {
        Datum::Int(int) => int.clone(),
        Datum::Float(float) => domain.float_to_bits(float),
        Datum::Pointer(pointer) => address(domain, pointer),
    }
}

/// A pointer as a 64-bit integer.
pub(crate) fn address<D: Domain>(domain: &mut D, pointer: &Pointer<D::Symbol>) -> Int<D::Symbol> {
    let open = if pointer.base == Base::Absolute { None } else { domain.open_address(pointer.base) };
    let base = open.unwrap_or_else(|| Int::new(64, u128::from(pointer.base.address())));
    if pointer.offset.concrete() == Some(0) {
        return base;
    }
    // Addition has no failing case.
    bits::total(domain, labrys_program::IntBinary::Add, &base, &pointer.offset).unwrap_or(base)
}

/// A scalar read as another kind of the same size. A pointer made of an integer is absolute: memory finds its object.
pub(crate) fn reinterpret<D: Domain>(
    domain: &mut D,
    scalar: &Scalar<D::Float, D::Symbol>,
    kind: ScalarKind,
) -> Scalar<D::Float, D::Symbol> {
    let datum = match (&scalar.datum, kind) {
        (Datum::Int(int), ScalarKind::Int(bits)) => Datum::Int(bits::zero_extend(domain, int, bits)),
        (Datum::Pointer(pointer), ScalarKind::Pointer) => Datum::Pointer(pointer.clone()),
        (Datum::Float(float), ScalarKind::Float(format)) if domain.float_format(float) == format => {
            Datum::Float(float.clone())
        }
        (datum, kind) => {
            let whole = encoding(domain, datum);
            match kind {
                ScalarKind::Int(bits) => Datum::Int(bits::zero_extend(domain, &whole, bits)),
                ScalarKind::Float(format) => {
                    let whole = bits::zero_extend(domain, &whole, format.width());
                    Datum::Float(domain.float_from_bits(&whole, format))
                }
                ScalarKind::Pointer => {
                    let offset = bits::zero_extend(domain, &whole, 64);
                    Datum::Pointer(Pointer { base: Base::Absolute, offset })
                }
            }
        }
    };
    Scalar { datum, tainted: scalar.tainted }
}
