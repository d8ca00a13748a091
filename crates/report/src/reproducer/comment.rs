//! Text in comments of C.

use crate::visible::visible;

/// Text that can't end the comment, nor begin a line of it.
pub(super) fn harmless(text: &str) -> String {
    visible(text).replace("*/", "* /")
}
