//! Statistics of slices.

/// The mean of some numbers.
pub fn mean(data: &[f64]) -> Option<f64> {
    (!data.is_empty()).then(|| total(data) / data.len() as f64)
}

/// The variance by the textbook's formula, mean of squares less square of mean: digits cancel where the mean is large.
pub fn variance(data: &[f64]) -> Option<f64> {
    let mean = mean(data)?;
    let squares: f64 = data.iter().map(|x| x * x).sum();
    Some(squares / data.len() as f64 - mean * mean)
}

#[cfg(not(feature = "compensated"))]
fn total(data: &[f64]) -> f64 {
    data.iter().sum()
}

#[cfg(feature = "compensated")]
fn total(data: &[f64]) -> f64 {
    let (mut sum, mut lost) = (0.0, 0.0);
    for x in data {
        let next = x - lost;
        let new = sum + next;
        lost = (new - sum) - next;
        sum = new;
    }
    sum
}

/// The Euclidean norm, of any float type and length.
pub fn norm<T: Copy + Into<f64>, const N: usize>(x: [T; N]) -> f64 {
    x.iter().map(|x| (*x).into() * (*x).into()).sum::<f64>().sqrt()
}

/// Divides all numbers by their sum.
pub fn to_weights(data: &mut [f64]) {
    let sum = total(data);
    for x in data {
        *x /= sum;
    }
}

/// The smallest and the greatest number; an error where there is none, or a NaN.
pub fn range(data: &[f64]) -> Result<(f64, f64), &'static str> {
    let first = *data.first().ok_or("no data")?;
    data.iter().try_fold((first, first), |(low, high), x| match x.is_nan() {
        true => Err("not a number"),
        false => Ok((low.min(*x), high.max(*x))),
    })
}
