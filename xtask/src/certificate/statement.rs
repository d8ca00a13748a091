//! The text of a certificate: what is claimed, and the boxes that prove it.

use anyhow::{Context, Result, bail, ensure};

use super::guards::Guards;
use super::interval::Interval;

/// Precision and least exponent of a format; whether to nearest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounding {
    pub precision: i64,
    pub least_exponent: i64,
    pub is_nearest: bool,
}

/// Where an integer lies beside a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mode {
    Near,
    Away,
    Up,
    Down,
    Zero,
}

/// An operation: its name, its operands among the nodes, what else it needs.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub name: String,
    pub operands: Vec<usize>,
    /// Of `choose`: how many formulas stand before it, and which decides.
    pub formula: usize,
    /// Of `const`; of `between` and `integral` the least value.
    pub value: f64,
    /// Of `between` and `integral` the greatest value.
    pub most: f64,
    /// Of `input`: which.
    pub input: usize,
    /// Of `call`: the function.
    pub function: String,
    /// Of `integral` and `remainder`: where the integer lies.
    pub mode: Mode,
    pub rounding: Option<Rounding>,
    pub steps: u32,
}

/// A formula: its name and operands, nodes or formulas; and how many nodes stand before it.
#[derive(Clone, Debug)]
pub(super) struct Formula {
    pub name: String,
    pub operands: Vec<usize>,
    pub nodes_before: usize,
}

/// A statement of the tree of boxes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Branch {
    Split(usize, f64),
    Leaf(f64),
    Outside,
}

/// A certificate read.
#[derive(Debug, Default)]
pub(super) struct Statement {
    pub is_relative: bool,
    pub bound: f64,
    /// Ranges, and the formats of those that are floats.
    pub inputs: Vec<(Interval, Option<Rounding>)>,
    pub nodes: Vec<Node>,
    pub formulas: Vec<Formula>,
    /// Formulas of the computed values, and of the exact ones.
    pub computed: Vec<usize>,
    pub exact: Vec<usize>,
    pub result: usize,
    /// The difference of the result and the other path's.
    pub gap: Option<usize>,
    /// What guards say of nodes.
    pub guards: Guards,
    pub tree: Vec<Branch>,
}

impl Statement {
    /// The node whose exact value is the truth.
    pub(super) fn truth(&self) -> usize {
        self.gap.map_or(self.result, |gap| self.nodes[gap].operands[1])
    }
}

/// The words of a line that are not read yet.
struct Words<'a>(Vec<&'a str>);

impl Words<'_> {
    fn next<T: std::str::FromStr>(&mut self) -> Result<T> {
        ensure!(!self.0.is_empty(), "a word is missing");
        let word = self.0.remove(0);
        word.parse().ok().with_context(|| format!("{word} is not what is expected"))
    }

    fn number(&mut self) -> Result<f64> {
        let number: f64 = self.next()?;
        ensure!(number.is_finite(), "a number is not finite");
        Ok(number)
    }

    fn index(&mut self, below: usize) -> Result<usize> {
        let index: usize = self.next()?;
        ensure!(index < below, "{index} stands for nothing yet");
        Ok(index)
    }

    fn indices(&mut self, below: usize) -> Result<Vec<usize>> {
        (0..self.0.len()).map(|_| self.index(below)).collect()
    }
}

/// Reads a certificate.
pub(super) fn read(text: &str) -> Result<Statement> {
    let mut statement = Statement { result: usize::MAX, ..Statement::default() };
    let mut lines = text.lines();
    ensure!(lines.next() == Some("bounds 2"), "no certificate of this format");
    for (number, line) in lines.enumerate() {
        read_line(&mut statement, line).with_context(|| format!("line {}: {line}", number + 2))?;
    }
    ensure!(statement.result < statement.nodes.len(), "no result");
    if let Some(gap) = statement.gap.map(|gap| &statement.nodes[gap]) {
        let is_difference = gap.name == "sub" && gap.rounding.is_none() && gap.operands[0] == statement.result;
        ensure!(is_difference, "the gap is no difference of the result and another one");
    }
    statement.guards = Guards::new(&statement);
    Ok(statement)
}

fn read_line(statement: &mut Statement, line: &str) -> Result<()> {
    let mut words = Words(line.split(' ').collect());
    let nodes = statement.nodes.len();
    match words.next::<String>()?.as_str() {
        "measure" => statement.is_relative = words.next::<String>()? == "relative",
        "bound" => statement.bound = words.number()?,
        "input" => {
            let (low, high) = (words.number()?, words.number()?);
            ensure!(low <= high, "an empty range");
            let rounding = if words.0.first() == Some(&"integer") { None } else { Some(format(&mut words, true)?) };
            statement.inputs.push((Interval::between(low, high), rounding));
        }
        "node" => {
            let node = read_node(&mut words, statement)?;
            statement.nodes.push(node);
        }
        "formula" => {
            let name: String = words.next()?;
            let is_connective = matches!(name.as_str(), "not" | "and" | "or" | "same");
            let operands = words.indices(if is_connective { statement.formulas.len() } else { nodes })?;
            let wanted = match name.as_str() {
                "true" | "false" | "opaque" | "given" => 0,
                "special" | "negative" | "positive" | "not" => 1,
                "less" | "atmost" | "equal" | "same" => 2,
                "and" | "or" => operands.len(),
                _ => bail!("{name} is no formula"),
            };
            ensure!(operands.len() == wanted, "{name} has {} operands", operands.len());
            statement.formulas.push(Formula { name, operands, nodes_before: nodes });
        }
        "computed" => statement.computed.push(words.index(statement.formulas.len())?),
        "exact" => statement.exact.push(words.index(statement.formulas.len())?),
        "result" => statement.result = words.index(nodes)?,
        "gap" => statement.gap = Some(words.index(nodes)?),
        "split" => statement.tree.push(Branch::Split(words.index(statement.inputs.len())?, words.number()?)),
        "leaf" => statement.tree.push(Branch::Leaf(words.number()?)),
        "outside" => statement.tree.push(Branch::Outside),
        other => bail!("{other} is no statement"),
    }
    Ok(())
}

fn format(words: &mut Words<'_>, is_nearest: bool) -> Result<Rounding> {
    let (precision, least_exponent) = (words.next()?, words.next()?);
    ensure!((2..=53).contains(&precision) && (-1022..=0).contains(&least_exponent), "a format that is not supported");
    Ok(Rounding { precision, least_exponent, is_nearest })
}

fn read_node(words: &mut Words<'_>, statement: &Statement) -> Result<Node> {
    let name: String = words.next()?;
    let mut node = Node {
        name,
        operands: Vec::new(),
        formula: 0,
        value: 0.0,
        most: 0.0,
        input: 0,
        function: String::new(),
        mode: Mode::Near,
        rounding: None,
        steps: 0,
    };
    let count = match node.name.as_str() {
        "input" => {
            node.input = words.index(statement.inputs.len())?;
            0
        }
        "between" => {
            (node.value, node.most) = (words.number()?, words.number()?);
            ensure!(node.value <= node.most, "an empty range");
            0
        }
        "const" => {
            node.value = words.number()?;
            0
        }
        "choose" => {
            node.formula = words.index(statement.formulas.len())?;
            2
        }
        "call" => {
            node.function = words.next()?;
            if matches!(node.function.as_str(), "pow" | "atan2" | "hypot") { 2 } else { 1 }
        }
        "integral" | "remainder" => {
            node.mode = match words.next::<String>()?.as_str() {
                "near" => Mode::Near,
                "away" => Mode::Away,
                "up" => Mode::Up,
                "down" => Mode::Down,
                "zero" => Mode::Zero,
                other => bail!("{other} is no direction"),
            };
            if node.name == "integral" { 1 } else { 2 }
        }
        "add" | "sub" | "mul" | "div" | "min" | "max" => 2,
        "square" | "sqrt" | "neg" | "abs" | "same" => 1,
        other => bail!("{other} is no operation"),
    };
    for _ in 0..count {
        node.operands.push(words.index(statement.nodes.len())?);
    }
    if node.name == "integral" {
        (node.value, node.most) = (words.number()?, words.number()?);
    }
    while !words.0.is_empty() {
        match words.next::<String>()?.as_str() {
            "round" => {
                let rounding = format(words, true)?;
                let is_nearest = words.next::<String>()? == "near";
                node.rounding = Some(Rounding { is_nearest, ..rounding });
            }
            "steps" => {
                node.steps = words.next()?;
                ensure!(node.steps <= 4096, "more steps than anybody claims");
            }
            other => bail!("{other} says nothing of a node"),
        }
    }
    ensure!(
        node.rounding.is_some() || (node.name != "call" && node.name != "sqrt" && node.name != "div"),
        "not rounded"
    );
    Ok(node)
}
