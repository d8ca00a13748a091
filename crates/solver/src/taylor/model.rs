//! Taylor models: a polynomial with intervals as coefficients, and an interval for the rest.
//!
//! **Claim.** Let f be enclosed by a model, s in [−1, 1]ⁿ: f(s) is the value at s of a polynomial whose coefficients are members of the model's, plus a member of the rest. Each operation's
//! result encloses the operation of all that its operands enclose. **Argument.** Sums and products are of intervals; what is of a higher degree than is kept goes
//! to the rest, a power of s being in [−1, 1], an even one in [0, 1]. 1/(c + r) = Σ (−r)ʲ/cʲ⁺¹ up to j = k, and a remainder (−r)ᵏ⁺¹/(c + t)ᵏ⁺² with t between 0 and r (Lagrange); of roots likewise.
//!
//! K. Makino, M. Berz: "Taylor Models and Other Validated Functional Inclusion Methods", International Journal of Pure and Applied Mathematics 4, 2003.

use labrys_bounds::Interval;

/// How many times as wide as an interval a model is at most that is kept because it knows what it hangs on.
const BETTER: f64 = 0.25;

/// The monomials of some degree in some variables, and which are products of which.
#[derive(Debug)]
pub(super) struct Shape {
    /// Exponents of each variable; that of the constant is first, those of the variables follow.
    monomials: Vec<Vec<u8>>,
    /// The place of the product of two monomials, if it is kept.
    products: Vec<Vec<Option<usize>>>,
    /// Whether all exponents of a product that is not kept are even, by its factors.
    are_even: Vec<Vec<bool>>,
    degree: u8,
}

impl Shape {
    /// All monomials of at most `degree`, which is 1 or more, in so many variables.
    pub fn new(variables: usize, degree: u8) -> Shape {
        let mut monomials = vec![vec![0; variables]];
        let mut last = monomials.clone();
        for _ in 0..degree {
            let mut next: Vec<Vec<u8>> = Vec::new();
            for monomial in &last {
                for variable in 0..variables {
                    let mut greater = monomial.clone();
                    greater[variable] += 1;
                    if !next.contains(&greater) {
                        next.push(greater);
                    }
                }
            }
            monomials.extend(next.iter().cloned());
            last = next;
        }
        let product = |a: &Vec<u8>, b: &Vec<u8>| -> Vec<u8> { a.iter().zip(b).map(|(a, b)| a + b).collect() };
        let place = |of: &Vec<u8>| monomials.iter().position(|monomial| monomial == of);
        let products = monomials.iter().map(|a| monomials.iter().map(|b| place(&product(a, b))).collect()).collect();
        let is_even = |of: &Vec<u8>| of.iter().all(|exponent| exponent % 2 == 0);
        let are_even = monomials.iter().map(|a| monomials.iter().map(|b| is_even(&product(a, b))).collect()).collect();
        Shape { monomials, products, are_even, degree }
    }
}

/// An enclosure of a function of variables in [−1, 1].
#[derive(Clone, Debug)]
pub(super) struct Model {
    coefficients: Vec<Interval>,
    pub rest: Interval,
}

/// What a monomial is times a coefficient.
fn power(coefficient: Interval, is_even: bool) -> Interval {
    if is_even { coefficient.hull(Interval::ZERO) } else { Interval::symmetric(coefficient.magnitude()) }
}

impl Model {
    /// Any number of an interval.
    pub fn constant(shape: &Shape, value: Interval) -> Model {
        let mut coefficients = vec![Interval::ZERO; shape.monomials.len()];
        coefficients[0] = value;
        Model { coefficients, rest: Interval::ZERO }
    }

    /// The numbers of an interval, the ends at −1 and 1 of a variable.
    pub fn variable(shape: &Shape, variable: usize, range: Interval) -> Model {
        let middle = range.middle();
        let mut model = Model::constant(shape, Interval::point(middle));
        let (below, above) = (
            Interval::point(middle) - Interval::point(range.low()),
            Interval::point(range.high()) - Interval::point(middle),
        );
        // As far from the middle as the farther end is: more than the interval has does no harm.
        model.coefficients[1 + variable] = Interval::point(below.high().max(above.high()));
        model
    }

    /// How far the first powers of a variable move the value at most.
    pub fn slope(&self, variable: usize) -> f64 {
        self.coefficients[1 + variable].magnitude()
    }

    /// What it may be.
    pub fn range(&self, shape: &Shape) -> Interval {
        let constant = self.coefficients[0] + self.rest;
        self.coefficients.iter().zip(&shape.are_even[0]).skip(1).fold(constant, |sum, (coefficient, is_even)| {
            if *coefficient == Interval::ZERO { sum } else { sum + power(*coefficient, *is_even) }
        })
    }

    pub fn plus(&self, other: &Model) -> Model {
        let coefficients = self.coefficients.iter().zip(&other.coefficients).map(|(a, b)| *a + *b).collect();
        Model { coefficients, rest: self.rest + other.rest }
    }

    pub fn opposite(&self) -> Model {
        let coefficients = self.coefficients.iter().map(|coefficient| -*coefficient).collect();
        Model { coefficients, rest: -self.rest }
    }

    pub fn minus(&self, other: &Model) -> Model {
        self.plus(&other.opposite())
    }

    pub fn times(&self, shape: &Shape, other: &Model) -> Model {
        let [own, others] = [self, other].map(|model| Model { rest: Interval::ZERO, ..model.clone() }.range(shape));
        let mut product = Model::constant(shape, Interval::ZERO);
        product.rest = own * other.rest + others * self.rest + self.rest * other.rest;
        for (i, a) in self.coefficients.iter().enumerate().filter(|(_, a)| **a != Interval::ZERO) {
            for (j, b) in other.coefficients.iter().enumerate().filter(|(_, b)| **b != Interval::ZERO) {
                let coefficient = *a * *b;
                match shape.products[i][j] {
                    Some(place) => product.coefficients[place] = product.coefficients[place] + coefficient,
                    None => product.rest = product.rest + power(coefficient, shape.are_even[i][j]),
                }
            }
        }
        product
    }

    /// Its middle, and what is beside that.
    fn around(&self) -> (f64, Model) {
        let middle = self.coefficients[0].middle();
        let mut beside = self.clone();
        beside.coefficients[0] = beside.coefficients[0] - Interval::point(middle);
        (middle, beside)
    }

    /// Σ factorⱼ·selfʲ for the factors of all degrees, by Horner's rule.
    fn series(&self, shape: &Shape, factors: &[Interval]) -> Model {
        let nothing = Model::constant(shape, Interval::ZERO);
        factors.iter().rev().fold(nothing, |sum, factor| sum.times(shape, self).plus(&Model::constant(shape, *factor)))
    }

    /// 1/self; `None` where that may be zero.
    pub fn inverse(&self, shape: &Shape) -> Option<Model> {
        let range = self.range(shape);
        if range.contains(0.0) || !range.is_bounded() {
            return None;
        }
        let (middle, beside) = self.around();
        // The middle is between what has one sign, or near to it by a rounding: not zero.
        let center = Interval::point(middle);
        if middle == 0.0 || center.hull(range).contains(0.0) {
            return None;
        }
        let first = Interval::ONE.quotient(center);
        let mut factors = vec![first];
        for _ in 0..shape.degree {
            factors.push(-(factors[factors.len() - 1] * first));
        }
        let mut inverse = beside.series(shape, &factors);
        let between = Interval::ONE.quotient(center.hull(range));
        let size = beside.range(shape);
        let remainder = (0..=shape.degree).fold(between, |product, _| product * (-size) * between);
        inverse.rest = inverse.rest + remainder;
        Some(inverse)
    }

    /// √self; `None` where that may be zero or negative.
    pub fn root(&self, shape: &Shape) -> Option<Model> {
        let range = self.range(shape);
        let (middle, beside) = self.around();
        let center = Interval::point(middle);
        let within = center.hull(range);
        if !range.is_bounded() || within.low() <= 0.0 {
            return None;
        }
        // The j-th derivative of √x by j! is c_j·x^(1/2 − j), c_0 = 1 and c_j+1 = c_j·(1/2 − j)/(j + 1).
        let mut factor = Interval::ONE;
        let mut factors = Vec::new();
        let (mut at_center, mut between) = (center.sqrt(), within.sqrt());
        for j in 0..=shape.degree {
            factors.push(factor * at_center);
            at_center = at_center.quotient(center);
            between = between.quotient(within);
            let next = Interval::point(0.5 - f64::from(j)).quotient(Interval::point(f64::from(j) + 1.0));
            factor = factor * next;
        }
        let mut root = beside.series(shape, &factors);
        let size = beside.range(shape);
        let remainder = (0..=shape.degree).fold(factor * between, |product, _| product * size);
        root.rest = root.rest + remainder;
        Some(root)
    }

    /// What encloses all that either does.
    pub fn hull(&self, shape: &Shape, other: &Model) -> Model {
        let mut hull = self.clone();
        let distance = other.minus(self).range(shape);
        hull.rest = hull.rest + distance.hull(Interval::ZERO);
        hull
    }

    /// The same, of values that are known to be in an interval, too.
    pub fn within(self, shape: &Shape, known: Interval) -> Model {
        let range = self.range(shape);
        let is_better = known.is_bounded() && (!range.is_bounded() || known.width() < BETTER * range.width());
        if is_better { Model::constant(shape, known) } else { self }
    }

    /// With an error of at most this.
    pub fn widened(mut self, by: f64) -> Model {
        self.rest = self.rest.widened(by);
        self
    }
}

#[cfg(test)]
mod tests {
    use labrys_formulas::Random;

    use super::*;

    /// A polynomial's value at a point, and models of the variables in a box around it.
    fn variables(shape: &Shape, random: &mut Random) -> (Vec<f64>, Vec<Model>) {
        let count = shape.monomials[0].len();
        let mut points = Vec::new();
        let mut models = Vec::new();
        for variable in 0..count {
            let low = random.below(2000) as f64 / 250.0 - 4.0;
            let width = [1.0, 0.1, 0.001][random.below(3)];
            let at = random.below(1001) as f64 / 1000.0;
            points.push((low + width * at).clamp(low, low + width));
            models.push(Model::variable(shape, variable, Interval::new(low, low + width)));
        }
        (points, models)
    }

    /// Every operation of random expressions encloses the value at a random point, which is computed in rational numbers where it has one.
    #[test]
    fn models_enclose_values() {
        use num_rational::BigRational;
        use num_traits::{FromPrimitive, Signed, Zero};
        let mut random = Random::new(41);
        let exact = |value: f64| BigRational::from_f64(value).unwrap_or_default();
        let (mut inverses, mut roots) = (0, 0);
        for _ in 0..1500 {
            let (count, degree) = [(1, 6), (2, 3), (3, 2), (1, 1)][random.below(4)];
            let shape = Shape::new(count, degree);
            let (points, models) = variables(&shape, &mut random);
            let mut known: Vec<(BigRational, Model)> = points.iter().map(|point| exact(*point)).zip(models).collect();
            for _ in 0..8 {
                let [(a, of_a), (b, of_b)] = [0; 2].map(|_| known[random.below(known.len())].clone());
                let made = match random.below(6) {
                    0 => Some((&a + &b, of_a.plus(&of_b))),
                    1 => Some((&a - &b, of_a.minus(&of_b))),
                    2 => Some((&a * &b, of_a.times(&shape, &of_b))),
                    3 => of_a.inverse(&shape).map(|inverse| (a.recip(), inverse)),
                    4 => of_a.root(&shape).map(|root| {
                        roots += 1;
                        // The square of the enclosed root is the number.
                        let range = root.range(&shape);
                        let (low, high) = (exact(range.low().max(0.0)), exact(range.high()));
                        assert!(&low * &low <= a && a <= &high * &high, "{a} {range:?}");
                        (&a * &a, of_a.times(&shape, &of_a))
                    }),
                    _ => Some((a.clone(), of_a.hull(&shape, &of_b))),
                };
                let Some((value, model)) = made else { continue };
                let range = model.range(&shape);
                if !range.is_bounded() {
                    continue;
                }
                inverses += usize::from(value.abs() < a.abs());
                assert!(exact(range.low()) <= value && value <= exact(range.high()), "{value} {range:?}");
                assert!(range.low().is_zero() || !model.coefficients.is_empty());
                known.push((value, model));
            }
        }
        assert!(inverses > 300 && roots > 300, "{inverses} {roots}");
    }
}
