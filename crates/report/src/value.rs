//! Values in three notations: shortest round-trip decimal, hexadecimal, bits.

use labrys_float::{Float, Format};
use labrys_program::{FloatType, ScalarType};
use serde::{Deserialize, Serialize};

/// The type of characters.
pub(crate) const CHARACTER: &str = "char";

/// An input, a result or an output: a scalar in three notations, or an aggregate with elements.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Value {
    /// How a user writes it: `v`, `x[3]`, `p.re`; absent for results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The variable of the source that gets it, where `name` is the function that returns it: `x`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// Its type in C's words: `double`, `double[8]`, `struct complex`.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The shortest decimal that reads back as this value; `inf`, `-inf`, `nan`; of an aggregate `[1, 2.5]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal: Option<String>,
    /// The same in hexadecimal: C's `%a` for floats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hex: Option<String>,
    /// The encoding, all digits: `0x3ff0000000000000`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits: Option<String>,
    /// The elements of an array, the members of a struct.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elements: Option<Vec<Value>>,
}

impl Value {
    /// A scalar of an encoding; bits above the type's width are dropped.
    pub fn scalar(name: Option<String>, scalar: ScalarType, bits: u128) -> Value {
        let width = scalar.value_bytes() as u32 * 8;
        let bits = if width < 128 { bits & ((1 << width) - 1) } else { bits };
        let (decimal, hex) = match scalar {
            ScalarType::Float(float) => {
                let value = Float::from_bits(float.format(), bits);
                (value.to_shortest_decimal(), value.to_hex())
            }
            ScalarType::Int { signed: true, .. } => {
                let shift = 128 - width;
                let value = ((bits << shift) as i128) >> shift;
                let sign = if value < 0 { "-" } else { "" };
                (value.to_string(), format!("{sign}{:#x}", value.unsigned_abs()))
            }
            ScalarType::Int { .. } | ScalarType::Bool => (bits.to_string(), format!("{bits:#x}")),
        };
        let digits = width as usize / 4;
        Value {
            name,
            type_name: scalar.name().to_owned(),
            decimal: Some(decimal),
            hex: Some(hex),
            bits: Some(format!("0x{bits:0digits$x}")),
            ..Value::default()
        }
    }

    /// A named float of one of C's formats; other formats get their bits' width as type name (`float128`).
    pub fn float(name: &str, value: &Float) -> Value {
        let of = match value.format() {
            Format::BINARY16 => Some(FloatType::F16),
            Format::BINARY32 => Some(FloatType::F32),
            Format::BINARY64 => Some(FloatType::F64),
            Format::X87 => Some(FloatType::X87),
            _ => None,
        };
        if let (Some(float), Some(bits)) = (of, value.to_u128()) {
            return Value::scalar(Some(name.to_owned()), ScalarType::Float(float), bits);
        }
        Value {
            name: Some(name.to_owned()),
            type_name: format!("float{}", value.format().width()),
            decimal: Some(value.to_shortest_decimal()),
            hex: Some(value.to_hex()),
            bits: Some(format!("{:#x}", value.bits())),
            ..Value::default()
        }
    }

    /// An aggregate; its decimal is its elements' as a list.
    pub fn aggregate(name: Option<String>, type_name: String, elements: Vec<Value>) -> Value {
        let decimals: Vec<&str> =
            elements.iter().map(|element| element.decimal.as_deref().unwrap_or_default()).collect();
        let decimal = Some(format!("[{}]", decimals.join(", ")));
        Value { name, type_name, decimal, elements: Some(elements), ..Value::default() }
    }

    /// The encoding of a scalar; `None` for aggregates and damaged text.
    pub fn to_bits(&self) -> Option<u128> {
        u128::from_str_radix(self.bits.as_deref()?.strip_prefix("0x")?, 16).ok()
    }

    /// The value of a float of one of C's formats; `None` for everything else.
    pub fn to_float(&self) -> Option<Float> {
        let format = match self.type_name.as_str() {
            "float" => Format::BINARY32,
            "double" => Format::BINARY64,
            "long double" => Format::X87,
            _ => return None,
        };
        Some(Float::from_bits(format, self.to_bits()?))
    }

    /// Whether it is a `char`.
    pub fn is_character(&self) -> bool {
        self.elements.is_none() && self.type_name == CHARACTER
    }

    /// The character that a `char` is, as C writes it, where it can be printed: `'0'`.
    pub fn character(&self) -> Option<String> {
        let byte = u8::try_from(self.to_bits()?).ok()?;
        self.is_character().then_some(byte).and_then(quoted)
    }

    /// How a user reads where it comes from: the variable that gets it, and the function that returns it; or its name.
    pub fn origin(&self) -> (&str, Option<&str>) {
        let name = self.name.as_deref().unwrap_or_default();
        match &self.variable {
            Some(variable) => (variable, Some(name)),
            None => (name, None),
        }
    }

    /// The scalars in it, depth first: itself where it is one.
    pub fn scalars(&self) -> Vec<&Value> {
        match &self.elements {
            None => vec![self],
            Some(elements) => elements.iter().flat_map(Value::scalars).collect(),
        }
    }

    /// The class that reports compare, in a word: `nan`, `inf`, `-inf`, `0`, `-0`, `subnormal`, `-normal`, ...; integers
    /// are their own class. Aggregates have their scalars' classes with commas between them.
    pub fn class(&self) -> String {
        if self.elements.is_some() {
            return self.scalars().iter().map(|scalar| scalar.class()).collect::<Vec<_>>().join(",");
        }
        let Some(value) = self.to_float() else { return self.decimal.clone().unwrap_or_default() };
        let sign = if value.is_negative() && !value.is_nan() { "-" } else { "" };
        let class = match value.class() {
            labrys_float::Class::Nan => "nan",
            labrys_float::Class::Infinite => "inf",
            labrys_float::Class::Zero => "0",
            labrys_float::Class::Subnormal => "subnormal",
            labrys_float::Class::Normal => "normal",
        };
        format!("{sign}{class}")
    }
}

/// A character that can be printed, or has an escape of its own, in quotation marks.
fn quoted(byte: u8) -> Option<String> {
    Some(match byte {
        b'\n' => "'\\n'".to_owned(),
        b'\t' => "'\\t'".to_owned(),
        b'\r' => "'\\r'".to_owned(),
        b'\'' => "'\\''".to_owned(),
        b'\\' => "'\\\\'".to_owned(),
        b' '..=b'~' => format!("'{}'", char::from(byte)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(scalar: ScalarType, bits: u128) -> [String; 3] {
        let value = Value::scalar(None, scalar, bits);
        [value.decimal, value.hex, value.bits].map(Option::unwrap_or_default)
    }

    #[test]
    fn scalars_have_three_notations() {
        let int = |bits, signed| ScalarType::Int { bits, signed };
        assert_eq!(
            shown(ScalarType::Float(FloatType::F64), 1.0f64.to_bits().into()),
            ["1", "0x1p+0", "0x3ff0000000000000"]
        );
        assert_eq!(
            shown(ScalarType::Float(FloatType::F32), (-0.0f32).to_bits().into()),
            ["-0", "-0x0p+0", "0x80000000"]
        );
        assert_eq!(
            shown(ScalarType::Float(FloatType::X87), 0x3fff_8000_0000_0000_0000),
            ["1", "0x1p+0", "0x3fff8000000000000000"]
        );
        assert_eq!(shown(int(8, true), 0xfb), ["-5", "-0x5", "0xfb"]);
        assert_eq!(shown(int(64, true), u128::from(u64::MAX)), ["-1", "-0x1", "0xffffffffffffffff"]);
        assert_eq!(shown(int(32, false), 0xffff_ffff_ffff), ["4294967295", "0xffffffff", "0xffffffff"]);
        assert_eq!(shown(ScalarType::Bool, 1), ["1", "0x1", "0x01"]);
    }

    #[test]
    fn aggregates_have_their_elements_decimals() {
        let number = |value: f64| Value::float("x", &Float::from_f64(value));
        let inner = Value::aggregate(None, "struct pair".to_owned(), vec![number(1.0), number(0.5)]);
        let array = Value::aggregate(Some("x".to_owned()), "struct pair[2]".to_owned(), vec![inner.clone(), inner]);
        assert_eq!(array.decimal.as_deref(), Some("[[1, 0.5], [1, 0.5]]"));
    }

    #[test]
    fn classes_ignore_a_nans_sign_only() {
        let class = |value: f64| Value::float("x", &Float::from_f64(value)).class();
        assert_eq!([class(-f64::NAN), class(-0.0), class(-1.5), class(5e-324)], ["nan", "-0", "-normal", "subnormal"]);
        assert_eq!(class(f64::NEG_INFINITY), "-inf");
    }
}
