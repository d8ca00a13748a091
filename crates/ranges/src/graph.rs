//! Values of one analysis and how they were computed.
//!
//! A *node* stands for the value that one execution of an operation has in one concrete run. Its domain holds in every
//! state that descends from the one in which it was made: states know their *branch*, branches form a tree, and a
//! node's branch tells where it is valid. States refine domains further (see [`crate::state::State`]).
//!
//! **Meaning.** A state describes a concrete one if there is an assignment of values to nodes under which every node
//! that is valid in the state has a value of its domain and is its operation's result on its arguments' values, and
//! every slot of the state (SSA value, memory cell) has the value of its node.

use labrys_elementary::Function;
use labrys_float::{Float, Format};
use labrys_interp::{ClassMask, FloatOperation};
use labrys_program::{FloatPredicate, FunctionId, GlobalId, IntBinary, IntPredicate};
use labrys_solver::domain::FloatDomain;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::integer::IntDomain;
use crate::library::Library;
use crate::pointer::PointerDomain;

/// Index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(pub u32);

/// Index of a branch of the tree of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BranchId(pub u32);

/// An SSA value: one node a scalar.
pub(crate) type Value = SmallVec<[NodeId; 1]>;

/// A set of scalars.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Domain {
    Float(FloatDomain),
    Int(IntDomain),
    Pointer(PointerDomain),
}

/// The float in a domain.
pub(crate) fn float_of(domain: &Domain) -> Option<FloatDomain> {
    match domain {
        Domain::Float(set) => Some(*set),
        _ => None,
    }
}

/// The integer in a domain.
pub(crate) fn int_of(domain: &Domain) -> Option<IntDomain> {
    match domain {
        Domain::Int(set) => Some(*set),
        _ => None,
    }
}

/// How a node's value comes from its arguments'.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    /// It does not, as far as is known: inputs, joins, reads of unknown memory.
    Opaque,
    Float(FloatOperation),
    Library(Function),
    FloatCompare(FloatPredicate),
    Class(ClassMask),
    FloatToInt {
        signed: bool,
    },
    IntToFloat {
        signed: bool,
    },
    IntBinary(IntBinary),
    IntCompare(IntPredicate),
    /// To the domain's width, by sign or by zeros.
    Resize {
        signed: bool,
    },
    /// A bit, then what is chosen if it is set, and if not.
    Select,
    ToBits,
    FromBits,
}

/// One node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub op: Op,
    pub args: SmallVec<[NodeId; 3]>,
    pub domain: Domain,
    pub branch: BranchId,
    users: Vec<NodeId>,
}

#[derive(Clone, Copy, Debug)]
struct Branch {
    parent: BranchId,
    /// A further ancestor: Myers, "An applicative random-access stack", Information Processing Letters 1983.
    jump: BranchId,
    depth: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Literal {
    Int(u32, u128),
    Float(Format, u128),
    Null,
    Global(GlobalId, i64),
    Function(FunctionId),
}

/// All nodes of one analysis.
#[derive(Debug)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    branches: Vec<Branch>,
    literals: FxHashMap<Literal, NodeId>,
    /// What libm's functions do.
    pub library: Library,
}

/// Users kept of a node: forward refinement beyond them is left out.
const MAX_USERS: usize = 24;

impl Graph {
    /// No nodes, one branch.
    pub fn new(library: Library) -> Graph {
        let root = Branch { parent: BranchId(0), jump: BranchId(0), depth: 0 };
        Graph { nodes: Vec::new(), branches: vec![root], literals: FxHashMap::default(), library }
    }

    /// The branch that all others come from.
    pub const ROOT: BranchId = BranchId(0);

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The users of a node that are kept.
    pub fn users(&self, id: NodeId) -> &[NodeId] {
        &self.nodes[id.0 as usize].users
    }

    /// A new node.
    pub fn push(&mut self, branch: BranchId, op: Op, args: &[NodeId], domain: Domain) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        for arg in args {
            let of = &mut self.nodes[arg.0 as usize];
            // A literal's domain never gets smaller, so nobody asks who uses it.
            if of.branch != Graph::ROOT && of.users.len() < MAX_USERS && of.users.last() != Some(&id) {
                of.users.push(id);
            }
        }
        self.nodes.push(Node { op, args: args.iter().copied().collect(), domain, branch, users: Vec::new() });
        id
    }

    fn branch(&self, id: BranchId) -> Branch {
        self.branches[id.0 as usize]
    }

    /// A child of a branch.
    pub fn fork(&mut self, parent: BranchId) -> BranchId {
        let above = self.branch(parent);
        let jump = self.branch(above.jump);
        let far = above.depth - jump.depth == jump.depth - self.branch(jump.jump).depth;
        let jump = if far { jump.jump } else { parent };
        self.branches.push(Branch { parent, jump, depth: above.depth + 1 });
        BranchId(self.branches.len() as u32 - 1)
    }

    /// The ancestor of a branch at a depth that is not greater than its own.
    fn at_depth(&self, mut branch: BranchId, depth: u32) -> BranchId {
        while self.branch(branch).depth > depth {
            let Branch { parent, jump, .. } = self.branch(branch);
            branch = if self.branch(jump).depth >= depth { jump } else { parent };
        }
        branch
    }

    /// Whether what is valid in `ancestor` is valid in `branch`.
    pub fn is_ancestor(&self, ancestor: BranchId, branch: BranchId) -> bool {
        let depth = self.branch(ancestor).depth;
        depth <= self.branch(branch).depth && self.at_depth(branch, depth) == ancestor
    }

    /// The last branch that both come from.
    pub fn common(&self, a: BranchId, b: BranchId) -> BranchId {
        let depth = self.branch(a).depth.min(self.branch(b).depth);
        let (mut a, mut b) = (self.at_depth(a, depth), self.at_depth(b, depth));
        while a != b {
            let (x, y) = (self.branch(a), self.branch(b));
            (a, b) = if x.jump != y.jump { (x.jump, y.jump) } else { (x.parent, y.parent) };
        }
        a
    }

    fn literal(&mut self, literal: Literal, domain: impl FnOnce() -> Domain) -> NodeId {
        if let Some(&id) = self.literals.get(&literal) {
            return id;
        }
        let id = self.push(Graph::ROOT, Op::Opaque, &[], domain());
        self.literals.insert(literal, id);
        id
    }

    /// A known integer.
    pub fn int(&mut self, bits: u32, value: u128) -> NodeId {
        let domain = IntDomain::only(bits, value);
        self.literal(Literal::Int(bits, domain.low as u128), || Domain::Int(domain))
    }

    /// A known float.
    pub fn float(&mut self, value: &Float) -> NodeId {
        let bits = value.to_u128().unwrap_or_default();
        self.literal(Literal::Float(value.format(), bits), || Domain::Float(FloatDomain::only(value)))
    }

    /// The null pointer.
    pub fn null(&mut self) -> NodeId {
        self.literal(Literal::Null, || Domain::Pointer(PointerDomain::null()))
    }

    /// The address of a global.
    pub fn global(&mut self, id: GlobalId, offset: i64) -> NodeId {
        self.literal(Literal::Global(id, offset), || Domain::Pointer(PointerDomain::global(id, offset)))
    }

    /// The address of a function.
    pub fn function(&mut self, id: FunctionId) -> NodeId {
        self.literal(Literal::Function(id), || Domain::Pointer(PointerDomain::function(id)))
    }

    /// Whether two nodes have the same value in every run: they are one, or the same operation on such.
    pub fn same(&self, a: NodeId, b: NodeId) -> bool {
        self.same_to_depth(a, b, 4)
    }

    /// `depth` bounds the recursion.
    fn same_to_depth(&self, a: NodeId, b: NodeId, depth: u32) -> bool {
        if a == b {
            return true;
        }
        let (x, y) = (self.node(a), self.node(b));
        depth > 0
            && x.op != Op::Opaque
            && x.op == y.op
            && x.args.len() == y.args.len()
            && same_shape(&x.domain, &y.domain)
            && x.args.iter().zip(&y.args).all(|(x, y)| self.same_to_depth(*x, *y, depth - 1))
    }
}

/// Whether two sets are of values of one type.
pub(crate) fn same_shape(a: &Domain, b: &Domain) -> bool {
    match (a, b) {
        (Domain::Float(a), Domain::Float(b)) => a.format == b.format,
        (Domain::Int(a), Domain::Int(b)) => a.bits == b.bits,
        (Domain::Pointer(_), Domain::Pointer(_)) => true,
        _ => false,
    }
}

impl Domain {
    /// The common members; `None` if there are none.
    pub fn intersect(&self, other: &Domain) -> Option<Domain> {
        match (self, other) {
            (Domain::Float(a), Domain::Float(b)) => {
                let both = a.intersect(b);
                (!both.is_empty()).then_some(Domain::Float(both))
            }
            (Domain::Int(a), Domain::Int(b)) => a.intersect(b).map(Domain::Int),
            (Domain::Pointer(a), Domain::Pointer(b)) => a.intersect(b).map(Domain::Pointer),
            _ => Some(self.clone()),
        }
    }

    /// A set that holds both, which are of one type.
    pub fn hull(&self, other: &Domain) -> Domain {
        match (self, other) {
            (Domain::Float(a), Domain::Float(b)) => Domain::Float(a.hull(b)),
            (Domain::Int(a), Domain::Int(b)) => Domain::Int(a.hull(b)),
            (Domain::Pointer(a), Domain::Pointer(b)) => Domain::Pointer(a.hull(b)),
            _ => self.clone(),
        }
    }

    /// Whether every member of `other` is one.
    pub fn includes(&self, other: &Domain) -> bool {
        match (self, other) {
            (Domain::Float(a), Domain::Float(b)) => a.hull(b) == *a,
            (Domain::Int(a), Domain::Int(b)) => a.includes(b),
            (Domain::Pointer(a), Domain::Pointer(b)) => a.hull(b) == *a,
            _ => false,
        }
    }
}
