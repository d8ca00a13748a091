//! Closed forms, and all vertices of small programmes.

use labrys_elementary::rug::Float;

use super::{LeastChange, Residual, least_change};

fn float(value: f64) -> Float {
    Float::with_val(256, value)
}

/// What is off by `residuals`, with `rows` of slopes.
fn change(rows: &[&[f64]], residuals: &[f64]) -> Option<LeastChange> {
    let inputs = rows[0].len();
    let slopes: Vec<Vec<Float>> = (0..inputs).map(|input| rows.iter().map(|row| float(row[input])).collect()).collect();
    let residual = |value: &f64| Residual { value: float(*value), radius: float(0.0) };
    least_change(&slopes, &residuals.iter().map(residual).collect::<Vec<_>>())
}

fn relative(rows: &[&[f64]], residuals: &[f64]) -> f64 {
    match change(rows, residuals) {
        Some(LeastChange::Relative(change)) => change,
        other => panic!("{other:?} for {rows:?}, {residuals:?}"),
    }
}

fn assert_close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-12 * b.abs(), "{a:e} and {b:e}");
}

/// SplitMix64, for numbers between −1 and 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

#[test]
fn of_one_output_it_is_the_error_over_the_sum_of_the_slopes() {
    assert_close(relative(&[&[3.0, -5.0, 2.0]], &[1e-10]), 1e-11);
    assert_close(relative(&[&[3e300, -5e300, 2e300]], &[-1e-10]), 1e-311);
    assert_eq!(relative(&[&[3.0, -5.0]], &[0.0]), 0.0);
    assert_eq!(change(&[&[0.0, 0.0]], &[1e-300]), Some(LeastChange::Impossible));
}

#[test]
fn of_a_sum_and_a_difference_it_is_that_of_the_operand_that_moves_more() {
    // a + b is off by r, a − b by s: a moves by (r + s)/2, b by (r − s)/2.
    for (a, b, r, s) in [(3.0f64, 2.0f64, 1e-16, 3e-16), (1e-200, 1e100, 1e84, -1e84), (5.0, -7.0, 1e-16, 0.0)] {
        let expected = f64::max(((r + s) / 2.0 / a).abs(), ((r - s) / 2.0 / b).abs());
        assert_close(relative(&[&[a, b], &[a, -b]], &[r, s]), expected);
    }
}

#[test]
fn of_a_product_of_vectors_it_is_half_of_what_its_shares_are_apart_or_there_is_none() {
    // u vᵀ is off by uᵢ vⱼ (pᵢ + qⱼ) where u moves by p + c and v by q − c; otherwise by nothing that they do.
    let (u, v) = ([3.0, -2.0, 1e-200], [5.0, 0.5]);
    let (p, q) = ([1e-16, 4e-16, -3e-16], [2e-16, -1e-16]);
    let mut rows = Vec::new();
    let mut residuals = Vec::new();
    for i in 0..3 {
        for j in 0..2 {
            let mut row = [0.0; 5];
            row[i] = u[i] * v[j];
            row[3 + j] = u[i] * v[j];
            rows.push(row);
            residuals.push((i, j));
        }
    }
    let rows: Vec<&[f64]> = rows.iter().map(|row| &row[..]).collect();
    // Products of doubles are not doubles: the residuals are those of the slopes, exactly.
    let exact = |&(i, j): &(usize, usize)| Float::with_val(256, u[i] * v[j]) * (float(p[i]) + float(q[j]));
    let mut off: Vec<Float> = residuals.iter().map(exact).collect();
    let of = |off: &[Float]| {
        let slopes: Vec<Vec<Float>> = (0..5).map(|input| rows.iter().map(|row| float(row[input])).collect()).collect();
        let residual =
            |value: &Float| Residual { value: value.clone(), radius: Float::with_val(64, value >> 250).abs() };
        least_change(&slopes, &off.iter().map(residual).collect::<Vec<_>>())
    };
    // min over c of max(|p + c|, |q − c|): the ends of p and −q, halved.
    let ends = [1e-16, 4e-16, -3e-16, -2e-16, 1e-16];
    let expected = (ends.iter().fold(f64::MIN, |a, b| a.max(*b)) - ends.iter().fold(f64::MAX, |a, b| a.min(*b))) / 2.0;
    let Some(LeastChange::Relative(change)) = of(&off) else { panic!("{:?}", of(&off)) };
    assert_close(change, expected);
    // One entry a little further off, and no rank-one matrix is near.
    off[3] *= 1.0 + f64::EPSILON;
    assert_eq!(of(&off), Some(LeastChange::Impossible));
}

#[test]
fn of_a_solution_of_two_equations_it_is_oettli_and_pragers() {
    // What a computed x of A x = b is off by in the equations, over |A||x| + |b| (Oettli and Prager 1964; Higham, theorem 7.3): each
    // equation has data of its own. With residuals r of the equations the slopes of x are −A⁻¹ times theirs; A⁻¹ is regular.
    let (a, x, b) = ([[1.0, 2.0], [3.0, 6.0 + 1e-12]], [0.7, -0.3], [0.1, 0.4]);
    let r: [f64; 2] = [3e-17, -5e-16];
    let mut random = Random(1);
    let mix = [[random.next(), random.next()], [random.next(), random.next()]];
    let mut equations = [[0.0f64; 6], [0.0; 6]];
    for i in 0..2 {
        for j in 0..2 {
            equations[i][2 * i + j] = a[i][j] * x[j];
        }
        equations[i][4 + i] = b[i];
    }
    let expected =
        (0..2).map(|i| r[i].abs() / equations[i].iter().map(|slope| slope.abs()).sum::<f64>()).fold(0.0, f64::max);
    let combine = |column: [Float; 2]| -> Vec<Float> {
        mix.iter()
            .map(|of| Float::with_val(256, &column[0] * of[0]) + Float::with_val(256, &column[1] * of[1]))
            .collect()
    };
    let slopes: Vec<Vec<Float>> =
        (0..6).map(|input| combine([float(equations[0][input]), float(equations[1][input])])).collect();
    let off = combine(r.map(float)).into_iter().map(|value| Residual { value, radius: float(0.0) });
    let Some(LeastChange::Relative(change)) = least_change(&slopes, &off.collect::<Vec<_>>()) else { panic!() };
    assert_close(change, expected);
}

/// The least t over all vertices: all but `rows − 1` of the variables at ±t, the rest and t from the equations.
fn by_vertices(rows: &[Vec<f64>], residuals: &[f64]) -> f64 {
    let (equations, inputs) = (rows.len(), rows[0].len());
    let mut best = f64::INFINITY;
    for free in 0u32..1 << inputs {
        if free.count_ones() as usize != equations - 1 {
            continue;
        }
        for signs in 0u32..1 << inputs {
            // Σ over free ones a d + t Σ over others ±a = r.
            let free_ones: Vec<usize> = (0..inputs).filter(|input| free >> input & 1 == 1).collect();
            let sign = |input: usize| if signs >> input & 1 == 1 { 1.0 } else { -1.0 };
            let mut matrix: Vec<Vec<f64>> = rows
                .iter()
                .zip(residuals)
                .map(|(row, residual)| {
                    let at_bounds: f64 =
                        (0..inputs).filter(|input| free >> input & 1 == 0).map(|input| sign(input) * row[input]).sum();
                    free_ones.iter().map(|input| row[*input]).chain([at_bounds, *residual]).collect()
                })
                .collect();
            let Some(solution) = solve(&mut matrix) else { continue };
            let t = solution[equations - 1];
            if t >= 0.0 && solution[..equations - 1].iter().all(|d| d.abs() <= t * (1.0 + 1e-9)) {
                best = best.min(t);
            }
        }
    }
    best
}

fn solve(matrix: &mut [Vec<f64>]) -> Option<Vec<f64>> {
    let count = matrix.len();
    for column in 0..count {
        let pivot = (column..count).max_by(|a, b| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs()))?;
        if matrix[pivot][column].abs() < 1e-9 {
            return None;
        }
        matrix.swap(column, pivot);
        let of_pivot = matrix[column].clone();
        for of_row in (0..count).filter(|row| *row != column).collect::<Vec<_>>() {
            let of_row = &mut matrix[of_row];
            let factor = of_row[column] / of_pivot[column];
            of_row.iter_mut().zip(&of_pivot).for_each(|(entry, of_pivot)| *entry -= factor * of_pivot);
        }
    }
    Some((0..count).map(|row| matrix[row][count] / matrix[row][row]).collect())
}

#[test]
fn of_random_programmes_it_is_the_best_vertex() {
    let mut random = Random(7);
    for (equations, inputs) in [(1, 3), (2, 2), (2, 4), (3, 4), (3, 6), (4, 6)] {
        for _ in 0..20 {
            let rows: Vec<Vec<f64>> = (0..equations).map(|_| (0..inputs).map(|_| random.next()).collect()).collect();
            let residuals: Vec<f64> = (0..equations).map(|_| random.next()).collect();
            let expected = by_vertices(&rows, &residuals);
            let of: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
            let found = relative(&of, &residuals);
            assert!((found - expected).abs() <= 1e-6 * expected, "{found} and {expected} of {rows:?}, {residuals:?}");
        }
    }
}

#[test]
fn ties_and_rows_that_say_the_same_twice_come_to_an_end() {
    // All slopes and all residuals alike, some rows twice: each step is degenerate.
    let row = [1.0, 1.0, 1.0, 1.0];
    let other = [1.0, -1.0, 1.0, -1.0];
    assert_close(relative(&[&row, &other, &row], &[4.0, 0.0, 4.0]), 1.0);
    assert_eq!(change(&[&row, &other, &row], &[4.0, 0.0, 4.0 + 1e-15]), Some(LeastChange::Impossible));
}

#[test]
fn slopes_of_all_magnitudes_count() {
    // What the second output has of its own hangs on the second input by 10^-60 alone.
    assert_close(relative(&[&[1.0, 0.0], &[1.0, 1e-60]], &[1.0, 1.0 + f64::EPSILON]), f64::EPSILON / 1e-60);
    assert_close(relative(&[&[1e300, 0.0], &[0.0, 1e-300]], &[1e290, 1e-316]), 1e-10);
}

#[test]
fn what_is_not_known_is_not_said() {
    let slopes = [vec![float(1.0), float(2.0)]];
    let residual = |value: f64, radius: f64| Residual { value: float(value), radius: float(radius) };
    // 1 and 2 are in proportion, and 1 and 2.1 may be, as far as radii go.
    let of = |radius| least_change(&slopes, &[residual(1e-16, 0.0), residual(2.1e-16, radius)]);
    assert_eq!(of(0.0), Some(LeastChange::Impossible));
    assert_eq!(of(2e-17), None);
    assert_eq!(least_change(&slopes, &[residual(f64::NAN, 0.0), residual(1.0, 0.0)]), None);
    assert_eq!(least_change(&[], &[residual(1.0, 0.0), residual(1.0, 0.0)]), Some(LeastChange::Impossible));
}
