//! DWARF as a graph of nodes, with what every reader of it needs: names that follow origins, references across units.

use std::path::Path;
use std::rc::Rc;

use gimli::{AttributeValue, DW_AT_abstract_origin, DW_AT_specification, EndianRcSlice, RunTimeEndian};
use object::{Object, ObjectSection, ObjectSymbol};

use super::SignatureError;

type Slice = EndianRcSlice<RunTimeEndian>;
type Entry = gimli::DebuggingInformationEntry<Slice>;

/// One debugging information entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Node {
    /// Index into [`DebugInfo::units`].
    pub(super) unit: usize,
    offset: gimli::UnitOffset,
}

/// A function's symbol.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub(super) name: String,
    pub(super) address: u64,
    pub(super) is_local: bool,
}

/// The debug information and function symbols of an object.
pub(super) struct DebugInfo {
    dwarf: gimli::Dwarf<Slice>,
    units: Vec<gimli::Unit<Slice>>,
    /// Defined functions, dynamic ones included, without duplicates.
    pub(super) symbols: Vec<Symbol>,
}

/// How many typedefs, qualifiers and origins a chain may have: damaged debug information may have cycles.
const MAX_CHAIN: usize = 64;

impl DebugInfo {
    pub(super) fn load(path: &Path) -> Result<Self, SignatureError> {
        let unreadable = |reason: String| SignatureError::Read { path: path.to_owned(), reason };
        let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
        let file = object::File::parse(&*bytes).map_err(|error| unreadable(error.to_string()))?;
        let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let dwarf = gimli::Dwarf::load(|id| -> Result<Slice, SignatureError> {
            let data = match file.section_by_name(id.name()) {
                Some(section) => section.uncompressed_data().map_err(|error| unreadable(error.to_string()))?,
                None => Default::default(),
            };
            Ok(EndianRcSlice::new(Rc::from(&*data), endian))
        })?;
        let mut units = Vec::new();
        let mut headers = dwarf.units();
        while let Some(header) = headers.next()? {
            units.push(dwarf.unit(header)?);
        }
        Ok(DebugInfo { dwarf, units, symbols: function_symbols(&file) })
    }

    /// The root entries of all units.
    pub(super) fn roots(&self) -> impl Iterator<Item = Node> + '_ {
        let root = |unit: &gimli::Unit<Slice>| unit.header.root_offset();
        self.units.iter().enumerate().map(move |(index, unit)| Node { unit: index, offset: root(unit) })
    }

    pub(super) fn root_of(&self, node: Node) -> Node {
        Node { unit: node.unit, offset: self.units[node.unit].header.root_offset() }
    }

    fn entry(&self, node: Node) -> Result<Entry, SignatureError> {
        Ok(self.units[node.unit].entry(node.offset)?)
    }

    pub(super) fn tag(&self, node: Node) -> Result<gimli::DwTag, SignatureError> {
        Ok(self.entry(node)?.tag())
    }

    /// The value of an attribute of the entry itself.
    pub(super) fn own(&self, node: Node, name: gimli::DwAt) -> Result<Option<AttributeValue<Slice>>, SignatureError> {
        Ok(self.entry(node)?.attr_value(name))
    }

    /// The value of an attribute of the entry or of the one that it completes, and which of them has it.
    fn inherited(
        &self,
        node: Node,
        name: gimli::DwAt,
    ) -> Result<Option<(Node, AttributeValue<Slice>)>, SignatureError> {
        let mut at = node;
        for _ in 0..MAX_CHAIN {
            if let Some(value) = self.own(at, name)? {
                return Ok(Some((at, value)));
            }
            match self.origin(at)? {
                Some(origin) => at = origin,
                None => break,
            }
        }
        Ok(None)
    }

    /// The entry that this one completes: a declaration or an abstract instance.
    fn origin(&self, node: Node) -> Result<Option<Node>, SignatureError> {
        for name in [DW_AT_abstract_origin, DW_AT_specification] {
            if let Some(value) = self.own(node, name)? {
                return Ok(self.target(node, &value));
            }
        }
        Ok(None)
    }

    fn target(&self, from: Node, value: &AttributeValue<Slice>) -> Option<Node> {
        match value {
            AttributeValue::UnitRef(offset) => Some(Node { unit: from.unit, offset: *offset }),
            AttributeValue::DebugInfoRef(offset) => self.units.iter().enumerate().find_map(|(unit, of)| {
                let offset = offset.to_unit_offset(&of.header)?;
                Some(Node { unit, offset })
            }),
            _ => None,
        }
    }

    /// The entry that an attribute refers to.
    pub(super) fn reference(&self, node: Node, name: gimli::DwAt) -> Result<Option<Node>, SignatureError> {
        Ok(self.inherited(node, name)?.and_then(|(at, value)| self.target(at, &value)))
    }

    pub(super) fn string(&self, node: Node, name: gimli::DwAt) -> Result<Option<String>, SignatureError> {
        let Some((at, value)) = self.inherited(node, name)? else { return Ok(None) };
        let text = self.dwarf.attr_string(&self.units[at.unit], value)?;
        Ok(Some(String::from_utf8_lossy(text.bytes()).into_owned()))
    }

    pub(super) fn name(&self, node: Node) -> Result<Option<String>, SignatureError> {
        self.string(node, gimli::DW_AT_name)
    }

    /// A constant attribute; `None` also where its value is an expression or a reference.
    pub(super) fn unsigned(&self, node: Node, name: gimli::DwAt) -> Result<Option<u64>, SignatureError> {
        Ok(self.inherited(node, name)?.and_then(|(_, value)| match value {
            AttributeValue::UnitRef(_) | AttributeValue::DebugInfoRef(_) => None,
            AttributeValue::Encoding(encoding) => Some(u64::from(encoding.0)),
            AttributeValue::Language(language) => Some(u64::from(language.0)),
            AttributeValue::CallingConvention(convention) => Some(u64::from(convention.0)),
            AttributeValue::Accessibility(access) => Some(u64::from(access.0)),
            AttributeValue::FileIndex(index) => Some(index),
            other => other.udata_value().or_else(|| other.sdata_value().and_then(|value| value.try_into().ok())),
        }))
    }

    pub(super) fn signed(&self, node: Node, name: gimli::DwAt) -> Result<Option<i64>, SignatureError> {
        Ok(self.own(node, name)?.and_then(|value| match value {
            AttributeValue::UnitRef(_) | AttributeValue::DebugInfoRef(_) => None,
            other => other.sdata_value().or_else(|| other.udata_value().and_then(|value| value.try_into().ok())),
        }))
    }

    pub(super) fn is_set(&self, node: Node, name: gimli::DwAt) -> Result<bool, SignatureError> {
        Ok(matches!(self.inherited(node, name)?, Some((_, AttributeValue::Flag(true)))))
    }

    /// Where a function's code begins.
    pub(super) fn address(&self, node: Node) -> Result<Option<u64>, SignatureError> {
        let unit = &self.units[node.unit];
        if let Some(value) = self.own(node, gimli::DW_AT_low_pc)? {
            return Ok(self.dwarf.attr_address(unit, value)?);
        }
        // A function in several pieces: its entry is the first range's beginning.
        match self.own(node, gimli::DW_AT_ranges)? {
            Some(_) => Ok(self.dwarf.die_ranges(unit, &self.entry(node)?)?.next()?.map(|range| range.begin)),
            None => Ok(None),
        }
    }

    pub(super) fn children(&self, node: Node) -> Result<Vec<Node>, SignatureError> {
        let unit = &self.units[node.unit];
        let mut tree = unit.entries_tree(Some(node.offset))?;
        let mut nodes = Vec::new();
        let mut children = tree.root()?.children();
        while let Some(child) = children.next()? {
            nodes.push(Node { unit: node.unit, offset: child.entry().offset() });
        }
        Ok(nodes)
    }

    /// The source file in which an entry is declared, with its directory unless that is the compilation's.
    pub(super) fn file(&self, node: Node) -> Result<Option<String>, SignatureError> {
        let Some((at, value)) = self.inherited(node, gimli::DW_AT_decl_file)? else { return Ok(None) };
        let (AttributeValue::FileIndex(index), Some(program)) = (value, &self.units[at.unit].line_program) else {
            return Ok(None);
        };
        let unit = &self.units[at.unit];
        let header = program.header();
        let Some(file) = header.file(index) else { return Ok(None) };
        let text = |value| -> Result<String, SignatureError> {
            Ok(String::from_utf8_lossy(self.dwarf.attr_string(unit, value)?.bytes()).into_owned())
        };
        let name = text(file.path_name())?;
        match file.directory(header) {
            Some(directory) if file.directory_index() != 0 => {
                Ok(Some(Path::new(&text(directory)?).join(name).display().to_string()))
            }
            _ => Ok(Some(name)),
        }
    }
}

/// Functions that an object defines, by the full and the dynamic symbol table.
fn function_symbols(file: &object::File<'_>) -> Vec<Symbol> {
    let defined = file
        .symbols()
        .chain(file.dynamic_symbols())
        .filter(|symbol| symbol.is_definition() && symbol.kind() == object::SymbolKind::Text && symbol.address() != 0);
    let mut symbols: Vec<Symbol> = defined
        .filter_map(|symbol| {
            let name = symbol.name().ok().filter(|name| !name.is_empty())?.to_owned();
            Some(Symbol { name, address: symbol.address(), is_local: symbol.is_local() })
        })
        .collect();
    symbols.sort_by(|a, b| (a.address, a.is_local, &a.name).cmp(&(b.address, b.is_local, &b.name)));
    symbols.dedup_by(|a, b| a.address == b.address && a.name == b.name);
    symbols
}
