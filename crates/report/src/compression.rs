//! Reports that are kept compressed (zstd, RFC 8878): of a library's some hundred megabytes of repetition a few are left.

use std::io::Read;
use std::path::Path;

use crate::ReportError;

/// zstd's level: higher ones take several times as long for a few hundredths.
const LEVEL: i32 = 9;
/// How a frame begins (RFC 8878, section 3.1.1).
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// What a file may unpack to: more is no report, but something that was made to fill memory.
const LONGEST: u64 = 4 << 30;

/// The text as a zstd frame with a checksum. Equal texts give equal bytes, of one version of zstd.
///
/// # Errors
///
/// Where there is no memory for it.
pub fn compressed(text: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL)?;
    encoder.include_checksum(true)?;
    std::io::Write::write_all(&mut encoder, text)?;
    encoder.finish()
}

/// A file's contents, unpacked where they are a zstd frame.
pub(crate) fn read_compressed(path: &Path) -> Result<Vec<u8>, ReportError> {
    let failed = |source| ReportError::Read { path: path.to_owned(), source };
    let contents = std::fs::read(path).map_err(failed)?;
    unpacked(contents, LONGEST).map_err(failed)
}

fn unpacked(contents: Vec<u8>, longest: u64) -> std::io::Result<Vec<u8>> {
    if !contents.starts_with(&MAGIC) {
        return Ok(contents);
    }
    let mut text = Vec::new();
    zstd::Decoder::new(&contents[..])?.take(longest + 1).read_to_end(&mut text)?;
    match text.len() as u64 > longest {
        true => Err(std::io::Error::other(format!("it unpacks to more than {longest} bytes"))),
        false => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compressed_comes_back_and_damage_is_told() {
        let text = "{\"verdict\":\"unreachable\"}\n".repeat(10_000);
        let packed = compressed(text.as_bytes()).expect("packs");
        assert!(packed.len() * 100 < text.len(), "{}", packed.len());
        assert_eq!(unpacked(packed.clone(), LONGEST).expect("unpacks"), text.as_bytes());
        assert_eq!(unpacked(text.clone().into_bytes(), LONGEST).expect("as it is"), text.as_bytes());
        assert!(unpacked(packed.clone(), 1000).is_err_and(|error| error.to_string().contains("more than 1000 bytes")));
        for at in 4..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x10;
            assert!(unpacked(damaged, LONGEST).is_err_and(|_| true) || at < 6, "byte {at}");
        }
        assert!(unpacked(packed[..packed.len() / 2].to_vec(), LONGEST).is_err());
    }
}
