//! The library under test, loaded.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::symbol;

/// The library under test in this process.
pub(crate) struct Library<'a> {
    /// Its file.
    pub(crate) path: &'a Path,
    pub(crate) handle: *mut libc::c_void,
    /// Where it begins and ends.
    pub(crate) range: (u64, u64),
    /// What is added to its own addresses.
    pub(crate) base: u64,
}

impl Library<'_> {
    pub(crate) fn open(path: &Path, lazily: bool) -> Result<Library<'_>, String> {
        let handle = open_library(path, lazily)?;
        let range = symbol::loaded_range(path).ok_or("the loaded library is not in /proc/self/maps")?;
        let base = symbol::base(path, range).map_err(|error| error.to_string())?;
        Ok(Library { path, handle, range, base })
    }

    /// Where the function of that symbol is, exported or not.
    pub(crate) fn function(&self, symbol: &str) -> Result<*mut libc::c_void, String> {
        // A dependency's symbol of the same name is not the one that is meant.
        let exported = find(self.handle, symbol).filter(|at| (self.range.0..self.range.1).contains(&(*at as u64)));
        if let Some(exported) = exported {
            return Ok(exported);
        }
        let offset = symbol::offset_of(self.path, symbol).map_err(|error| error.to_string())?;
        Ok(self.base.wrapping_add(offset) as *mut libc::c_void)
    }
}

/// Loads a library, everything bound at once; where that fails for want of a symbol and it may be done `lazily`, functions are
/// bound as they are called, and a call of one that nobody defines ends its process.
pub(crate) fn open_library(path: &Path, lazily: bool) -> Result<*mut libc::c_void, String> {
    // A name without a slash would be searched for in the system's folders.
    let absolute = path.canonicalize().map_err(|error| error.to_string())?;
    let name = CString::new(absolute.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    let bindings = [libc::RTLD_NOW, libc::RTLD_LAZY];
    for binding in &bindings[..1 + usize::from(lazily)] {
        // SAFETY: runs the library's constructors, which is what a worker is for.
        let handle = unsafe { libc::dlopen(name.as_ptr(), *binding | libc::RTLD_LOCAL) };
        if !handle.is_null() {
            return Ok(handle);
        }
    }
    // SAFETY: after a failure dlerror gives a C string or null.
    let message = unsafe { libc::dlerror() };
    if message.is_null() {
        return Err("the dynamic linker gave no reason".to_owned());
    }
    // SAFETY: as above; copied before the next call to the linker.
    Err(unsafe { std::ffi::CStr::from_ptr(message) }.to_string_lossy().into_owned())
}

/// A symbol of a loaded library.
pub(crate) fn find(library: *mut libc::c_void, symbol: &str) -> Option<*mut libc::c_void> {
    let name = CString::new(symbol).ok()?;
    // SAFETY: `library` is a handle of dlopen that is never closed.
    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}
