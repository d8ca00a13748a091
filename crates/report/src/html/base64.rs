//! Base 64 (RFC 4648, section 4), which content security policies write hashes in, and pages hold bytes in.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as text, padded.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, byte| (word << 8) | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let is_padding = digit > chunk.len();
            text.push(if is_padding { '=' } else { ALPHABET[(word >> (18 - 6 * digit)) as usize & 63] as char });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_vectors_of_the_standard() {
        let vectors =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")];
        for (plain, encoded) in vectors {
            assert_eq!(super::encode(plain.as_bytes()), encoded);
        }
        assert_eq!(super::encode(&[0xff, 0xef, 0xbe]), "/+++");
    }
}
