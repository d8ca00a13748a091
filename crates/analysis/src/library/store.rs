//! Results of a library run on disk: an SQLite file in the output folder, so that a run that was killed goes on where it was.
//!
//! What [`Store::put`] has returned for is there after kill -9 or a power cut at any moment, and what it has not returned
//! for is there whole or not at all: each result is one transaction under SQLite's rollback journal with
//! `synchronous=FULL`, which syncs the journal before the file is touched and the file before the journal is retired.
//! The next opening rolls a torn transaction back. One process at a time holds the file: the lock is the kernel's,
//! taken when the file is opened, and goes away with the process, however that ends.
//!
//! A result is found again only under the same function, the same fingerprint of all code that it can reach and the same
//! options, labrys' version included ([`options_hash`]). SQLite does not checksum its pages; each row carries a SHA-256 of
//! itself, so that a damaged proof is an error and not a verdict.
//!
//! Beside results stand the seconds that each took. They only say how work is shared out ([`super::shares`]), and need no checksum.
//!
//! Others may read a file that nobody writes ([`Store::open_to_read`]), several at a time; how far a run is that goes on is told by
//! [`Tally`], which looks at a copy.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use thiserror::Error;

/// The file's name in the output folder.
pub const STORE_FILE: &str = "labrys.sqlite";

/// A SHA-256.
pub type Hash = [u8; 32];

/// What marks the file as ours: "labr" in SQLite's application id.
const APPLICATION: i32 = i32::from_be_bytes(*b"labr");
/// The version of the table's layout.
const LAYOUT: i32 = 1;
/// How long another process may hold the file before it counts as in use: one that is just ending is waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// Why results cannot be kept or read: one line for the user.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another run holds the file.
    #[error("{}: another run is writing into this folder; wait for it or choose another one with -o", .0.display())]
    InUse(PathBuf),
    /// The file is of something else.
    #[error("{}: this file was not written by labrys; choose another folder with -o", .0.display())]
    Foreign(PathBuf),
    /// The file is of a version with another layout.
    #[error("{}: this file has layout {found}, this version of labrys reads {LAYOUT}; choose another folder with -o", .path.display())]
    Layout {
        /// The file.
        path: PathBuf,
        /// Its layout.
        found: i32,
    },
    /// The file is ours and not whole.
    #[error("{}: this file is damaged ({reason}); delete it to begin again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The disk is full.
    #[error("{}: no space left to keep results; what was kept before is safe", .0.display())]
    Full(PathBuf),
    /// The file cannot be opened, read or written for another reason.
    #[error("{}: cannot keep results: {reason}", .path.display())]
    Access {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A value that does not serialise: a defect of labrys.
    #[error("a result does not serialise: {0}")]
    Serialise(serde_json::Error),
}

/// One kept result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept<T> {
    /// The function's key: its name, with its file where that alone is not unique.
    pub function: String,
    /// The fingerprint of the code that it can reach.
    pub fingerprint: Hash,
    /// The result.
    pub value: T,
}

/// The results of a folder. Threads may share it.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Mutex<Connection>,
}

/// The hash of everything but the code that a result depends on, with labrys' own version.
pub fn options_hash(options: &impl Serialize) -> Result<Hash, StoreError> {
    let text = serde_json::to_vec(options).map_err(StoreError::Serialise)?;
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION").as_bytes());
    hash.update([0]);
    hash.update(&text);
    Ok(hash.finalize().into())
}

/// A fingerprint of code, and of what else a result depends on.
pub fn extended(fingerprint: &Hash, more: &str) -> Hash {
    let mut hash = Sha256::new();
    hash.update(fingerprint);
    hash.update(more.as_bytes());
    hash.finalize().into()
}

/// The checksum of a row.
fn checksum(function: &str, fingerprint: &Hash, options: &Hash, value: &str) -> Hash {
    let mut hash = Sha256::new();
    for part in [function.as_bytes(), fingerprint, options, value.as_bytes()] {
        // Lengths keep ("ab", "c") apart from ("a", "bc").
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// A row as it was read.
struct Row {
    function: String,
    fingerprint: Vec<u8>,
    options: Vec<u8>,
    value: String,
    checksum: Vec<u8>,
}

impl Row {
    fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
        Ok(Row {
            function: row.get(0)?,
            fingerprint: row.get(1)?,
            options: row.get(2)?,
            value: row.get(3)?,
            checksum: row.get(4)?,
        })
    }
}

impl Store {
    /// Opens the results of a folder, which is made where it is missing, and keeps other processes out until it is
    /// dropped. Every page of an existing file is read and checked.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        let path = folder.join(STORE_FILE);
        std::fs::create_dir_all(folder)
            .map_err(|error| StoreError::Access { path: path.clone(), reason: error.to_string() })?;
        let opened = || -> Result<Connection, StoreError> {
            let connection = Connection::open(&path).map_err(|error| classified(&path, &error))?;
            prepare(&path, &connection)?;
            Ok(connection)
        };
        let mut connection = opened()?;
        if !path.exists() {
            // While it was waited for, the run that had it ended without a result, and took it along ([`remove_unused`]).
            connection = opened()?;
        }
        Ok(Store { path, connection: Mutex::new(connection) })
    }

    /// Opens the results of a folder to read them, beside other readers. What a killed run left is rolled back.
    pub fn open_to_read(folder: &Path) -> Result<Store, StoreError> {
        let path = folder.join(STORE_FILE);
        if !path.is_file() {
            let reason = "there are no results here".to_owned();
            return Err(StoreError::Access { path: folder.to_owned(), reason });
        }
        // A journal is rolled back by writing, so that the file is opened for both.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&path, flags).map_err(|error| classified(&path, &error))?;
        connection.busy_timeout(PATIENCE).map_err(|error| classified(&path, &error))?;
        check(&path, &connection)?;
        Ok(Store { path, connection: Mutex::new(connection) })
    }

    /// How many seconds each function took in the latest run that analysed it.
    pub fn seconds(&self) -> Result<FxHashMap<String, f64>, StoreError> {
        let failed = |error: rusqlite::Error| classified(&self.path, &error);
        let connection = self.connection();
        // Files of earlier versions have no such table.
        let is_there = "SELECT count(*) FROM sqlite_schema WHERE name = 'seconds'";
        if connection.query_row(is_there, [], |row| row.get::<_, i64>(0)).map_err(failed)? == 0 {
            return Ok(FxHashMap::default());
        }
        let mut query = connection.prepare_cached("SELECT function, seconds FROM seconds").map_err(failed)?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).map_err(failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }

    /// The result of a function, where there is one for this code and these options.
    pub fn get<T: DeserializeOwned>(
        &self,
        function: &str,
        fingerprint: &Hash,
        options: &Hash,
    ) -> Result<Option<T>, StoreError> {
        let row = self
            .connection()
            .prepare_cached(
                "SELECT function, fingerprint, options, value, checksum FROM results
                 WHERE function = ?1 AND options = ?2 AND fingerprint = ?3",
            )
            .and_then(|mut query| query.query_row(params![function, options, fingerprint], Row::read).optional())
            .map_err(|error| classified(&self.path, &error))?;
        Ok(row.map(|row| self.kept(row)).transpose()?.map(|kept| kept.value))
    }

    /// Keeps a result, in place of one of other code under these options. It is on disk when this returns.
    pub fn put<T: Serialize>(
        &self,
        function: &str,
        fingerprint: &Hash,
        options: &Hash,
        value: &T,
    ) -> Result<(), StoreError> {
        self.put_timed(function, fingerprint, options, value, None)
    }

    /// The same, with how long it took.
    pub fn put_timed<T: Serialize>(
        &self,
        function: &str,
        fingerprint: &Hash,
        options: &Hash,
        value: &T,
        took: Option<Duration>,
    ) -> Result<(), StoreError> {
        let value = serde_json::to_string(value).map_err(StoreError::Serialise)?;
        let checksum = checksum(function, fingerprint, options, &value);
        let mut connection = self.connection();
        let keep = |connection: &mut Connection| {
            let transaction = connection.transaction()?;
            transaction
                .prepare_cached("INSERT OR REPLACE INTO results VALUES (?1, ?2, ?3, ?4, ?5)")?
                .execute(params![function, options, fingerprint, value, checksum])?;
            if let Some(took) = took {
                transaction
                    .prepare_cached("INSERT OR REPLACE INTO seconds VALUES (?1, ?2)")?
                    .execute(params![function, took.as_secs_f64()])?;
            }
            transaction.commit()
        };
        keep(&mut connection).map_err(|error| classified(&self.path, &error))
    }

    /// Every result under these options, by function.
    pub fn all<T: DeserializeOwned>(&self, options: &Hash) -> Result<Vec<Kept<T>>, StoreError> {
        let rows: Vec<Row> = self
            .connection()
            .prepare_cached(
                "SELECT function, fingerprint, options, value, checksum FROM results
                 WHERE options = ?1 ORDER BY function",
            )
            .and_then(|mut query| query.query_map(params![options], Row::read)?.collect())
            .map_err(|error| classified(&self.path, &error))?;
        rows.into_iter().map(|row| self.kept(row)).collect()
    }

    /// Reads or writes a table of somebody else's in this file.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        work(&self.connection()).map_err(|error| classified(&self.path, &error))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // A panic elsewhere leaves no transaction open: one that is dropped is rolled back.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A row's value, once its checksum holds.
    fn kept<T: DeserializeOwned>(&self, row: Row) -> Result<Kept<T>, StoreError> {
        let damaged = |reason: String| StoreError::Damaged { path: self.path.clone(), reason };
        let hash = |bytes: &[u8]| Hash::try_from(bytes).map_err(|_| damaged("a hash has a wrong length".to_owned()));
        let (fingerprint, options) = (hash(&row.fingerprint)?, hash(&row.options)?);
        if checksum(&row.function, &fingerprint, &options, &row.value)[..] != row.checksum[..] {
            return Err(damaged(format!("the result of {} has a wrong checksum", row.function)));
        }
        let value = serde_json::from_str(&row.value)
            .map_err(|error| damaged(format!("the result of {} cannot be read: {error}", row.function)))?;
        Ok(Kept { function: row.function, fingerprint, value })
    }
}

/// Takes the lock, makes the tables in an empty file, and refuses files that are not ours or not whole.
fn prepare(path: &Path, connection: &Connection) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| classified(path, &error);
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    // An exclusive transaction in this mode leaves the lock in place; the first access rolls back what a killed run left.
    connection
        .execute_batch("PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=FULL; BEGIN EXCLUSIVE; COMMIT;")
        .map_err(failed)?;
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(failed)?;
    if tables == 0 && number("application_id").map_err(failed)? == 0 {
        let made = format!(
            "BEGIN;
             PRAGMA application_id={APPLICATION};
             PRAGMA user_version={LAYOUT};
             CREATE TABLE results (
                 function TEXT NOT NULL, options BLOB NOT NULL, fingerprint BLOB NOT NULL,
                 value TEXT NOT NULL, checksum BLOB NOT NULL, PRIMARY KEY (function, options)
             ) STRICT, WITHOUT ROWID;
             COMMIT;"
        );
        connection.execute_batch(&made).map_err(failed)?;
    }
    check(path, connection)?;
    let seconds =
        "CREATE TABLE IF NOT EXISTS seconds (function TEXT PRIMARY KEY, seconds REAL NOT NULL) STRICT, WITHOUT ROWID;";
    connection.execute_batch(seconds).map_err(failed)
}

/// Refuses files that are not ours or not whole.
fn check(path: &Path, connection: &Connection) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| classified(path, &error);
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    if number("application_id").map_err(failed)? != APPLICATION {
        return Err(StoreError::Foreign(path.to_owned()));
    }
    let found = number("user_version").map_err(failed)?;
    if found != LAYOUT {
        return Err(StoreError::Layout { path: path.to_owned(), found });
    }
    let check: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0)).map_err(failed)?;
    if check != "ok" {
        // The first line is a heading, "*** in database main ***", under which damages stand.
        let reason = check.lines().find(|line| !line.starts_with("***")).unwrap_or("its pages").to_owned();
        return Err(StoreError::Damaged { path: path.to_owned(), reason });
    }
    Ok(())
}

/// Removes the file of a folder that has nothing else, where no run has it and no run has kept anything in it.
pub fn remove_unused(folder: &Path) {
    let path = folder.join(STORE_FILE);
    // SQLite's own files lie beside its file.
    let is_stores = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with(STORE_FILE);
    let is_alone =
        std::fs::read_dir(folder).is_ok_and(|mut entries| entries.all(|of| of.is_ok_and(|of| is_stores(&of))));
    if !is_alone || !path.is_file() {
        return;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let Ok(connection) = Connection::open_with_flags(&path, flags) else { return };
    // As long as it is locked nobody else begins to keep anything in it.
    let is_unused = || -> rusqlite::Result<bool> {
        connection.execute_batch("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE;")?;
        let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let rows = |table: &str| -> rusqlite::Result<i64> {
            let is_there = "SELECT count(*) FROM sqlite_schema WHERE name = ?1";
            match connection.query_row(is_there, params![table], |row| row.get::<_, i64>(0))? {
                0 => Ok(0),
                _ => connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)),
            }
        };
        Ok(application == APPLICATION && rows("results")? == 0 && rows("seconds")? == 0)
    };
    if is_unused().unwrap_or(false) {
        let _ = std::fs::remove_file(&path);
    }
}

/// SQLite's error as ours.
fn classified(path: &Path, error: &rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::InUse(path),
        Some(ErrorCode::NotADatabase) => StoreError::Foreign(path),
        Some(ErrorCode::DiskFull) => StoreError::Full(path),
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path, reason: error.to_string() },
        // A column that is missing or of another type.
        _ if error.sqlite_error_code().is_none() => StoreError::Damaged { path, reason: error.to_string() },
        _ => StoreError::Access { path, reason: error.to_string() },
    }
}

/// How far a run is, as its folder tells: another process may be writing there, which this neither waits for nor hinders.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Under which names there are results under these options.
    pub kept: Vec<String>,
    /// How many seconds they took together.
    pub seconds: f64,
    /// When the file was last written to.
    pub written: Option<std::time::SystemTime>,
}

impl Tally {
    /// How often a copy may turn out torn.
    const TRIES: usize = 5;

    /// The tally of a folder; nothing where there is no file. The file and its journal are copied, and SQLite rolls back the copy; a copy that was
    /// made in the midst of a transaction may be torn, which the check tells, and is made again.
    pub fn of(folder: &Path, options: &Hash) -> Result<Tally, StoreError> {
        let path = folder.join(STORE_FILE);
        let access = |error: std::io::Error| StoreError::Access { path: path.clone(), reason: error.to_string() };
        let Ok(data) = std::fs::metadata(&path) else { return Ok(Tally::default()) };
        let mut last = None;
        for _ in 0..Tally::TRIES {
            let copy = tempfile::tempdir().map_err(access)?;
            let journal = format!("{STORE_FILE}-journal");
            // What the journal would restore is what was there before it: it is copied first.
            let _ = std::fs::copy(folder.join(&journal), copy.path().join(&journal));
            std::fs::copy(&path, copy.path().join(STORE_FILE)).map_err(access)?;
            match Tally::of_copy(copy.path(), options) {
                Ok(tally) => return Ok(Tally { written: data.modified().ok(), ..tally }),
                Err(error) => last = Some(error),
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err(last.unwrap_or(StoreError::InUse(path)))
    }

    fn of_copy(folder: &Path, options: &Hash) -> Result<Tally, StoreError> {
        let store = Store::open(folder)?;
        let seconds = store.seconds()?;
        let connection = store.connection();
        let kept: Vec<String> = connection
            .prepare("SELECT function FROM results WHERE options = ?1 ORDER BY function")
            .and_then(|mut query| query.query_map(params![options], |row| row.get(0))?.collect())
            .map_err(|error| classified(&store.path, &error))?;
        let seconds = kept.iter().filter_map(|name| seconds.get(name)).sum();
        Ok(Tally { kept, seconds, written: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: Hash = [7; 32];
    const OPTIONS: Hash = [9; 32];

    fn opened(folder: &Path) -> Store {
        Store::open(folder).expect("opens")
    }

    #[test]
    fn only_what_nothing_was_kept_in_goes() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [unused, used, others, taken] = ["unused", "used", "others", "taken"].map(|name| folder.path().join(name));
        drop(opened(&unused));
        opened(&used).put("f", &CODE, &OPTIONS, &1.0).expect("is kept");
        drop(opened(&others));
        std::fs::write(others.join("report.json"), "{}").expect("a file");
        let held = opened(&taken);
        let all = [&unused, &used, &others, &taken];
        all.iter().for_each(|folder| remove_unused(folder));
        assert_eq!(all.map(|folder| folder.join(STORE_FILE).is_file()), [false, true, true, true]);
        assert_eq!(std::fs::read_dir(&unused).expect("a folder").count(), 0);
        held.put("f", &CODE, &OPTIONS, &1.0).expect("is kept");
        drop(held);
        let kept: Option<f64> = opened(&taken).get("f", &CODE, &OPTIONS).expect("is read");
        assert_eq!(kept, Some(1.0));
    }

    #[test]
    fn a_result_is_found_under_the_same_code_and_options_only() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let below = folder.path().join("out/deep");
        let store = opened(&below);
        let names = vec!["a".to_owned(), "b\0\u{1f600}".to_owned()];
        store.put("f", &CODE, &OPTIONS, &names).expect("kept");
        store.put("e", &CODE, &OPTIONS, &Vec::<String>::new()).expect("kept");
        store.put("f", &CODE, &[1; 32], &vec!["other options"]).expect("kept");
        drop(store);
        let store = opened(&below);
        let get = |function: &str, code: &Hash, options: &Hash| {
            store.get::<Vec<String>>(function, code, options).expect("readable")
        };
        assert_eq!(get("f", &CODE, &OPTIONS), Some(names.clone()));
        assert_eq!(get("g", &CODE, &OPTIONS), None);
        assert_eq!(get("f", &[8; 32], &OPTIONS), None);
        assert_eq!(get("f", &CODE, &[2; 32]), None);
        let functions: Vec<String> =
            store.all::<Vec<String>>(&OPTIONS).expect("readable").into_iter().map(|kept| kept.function).collect();
        assert_eq!(functions, ["e", "f"]);
        store.put("f", &[8; 32], &OPTIONS, &vec!["new code"]).expect("kept");
        assert_eq!(get("f", &CODE, &OPTIONS), None);
        assert_eq!(get("f", &[8; 32], &OPTIONS), Some(vec!["new code".to_owned()]));
    }

    #[test]
    fn options_tell_results_apart() {
        let hash = |time: u64, only: &[&str]| options_hash(&(time, only)).expect("serialises");
        assert_eq!(hash(1, &["overflow"]), hash(1, &["overflow"]));
        assert_ne!(hash(1, &["overflow"]), hash(1, &["invalid"]));
        assert_ne!(hash(1, &[]), hash(2, &[]));
    }

    #[test]
    fn times_are_kept_beside_results_and_read_while_others_read() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let missing = Store::open_to_read(folder.path()).expect_err("nothing there");
        assert!(missing.to_string().contains("there are no results here"), "{missing}");
        let store = opened(folder.path());
        store.put_timed("f", &CODE, &OPTIONS, &1, Some(Duration::from_millis(2500))).expect("kept");
        store.put("g", &CODE, &OPTIONS, &2).expect("kept");
        assert!(matches!(Store::open_to_read(folder.path()), Err(StoreError::InUse(_))));
        // A look at how far it is neither waits nor hinders.
        let tally = Tally::of(folder.path(), &OPTIONS).expect("readable");
        assert_eq!((tally.kept, tally.seconds), (vec!["f".to_owned(), "g".to_owned()], 2.5));
        assert!(Tally::of(folder.path(), &[1; 32]).expect("readable").kept.is_empty());
        store.put("h", &CODE, &OPTIONS, &3).expect("kept");
        drop(store);
        let readers = [Store::open_to_read(folder.path()), Store::open_to_read(folder.path())];
        for reader in readers {
            let reader = reader.expect("several may read");
            assert_eq!(reader.get::<i32>("h", &CODE, &OPTIONS).expect("readable"), Some(3));
            assert_eq!(reader.seconds().expect("readable"), [("f".to_owned(), 2.5)].into_iter().collect());
        }
        assert_eq!(Tally::of(&folder.path().join("none"), &OPTIONS).expect("readable"), Tally::default());
    }

    #[test]
    fn a_file_without_times_is_read_and_gets_them() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        opened(folder.path()).put("f", &CODE, &OPTIONS, &1).expect("kept");
        let path = folder.path().join(STORE_FILE);
        Connection::open(&path).and_then(|file| file.execute_batch("DROP TABLE seconds")).expect("as it was before");
        assert!(Store::open_to_read(folder.path()).and_then(|store| store.seconds()).expect("readable").is_empty());
        let store = opened(folder.path());
        store.put_timed("f", &CODE, &OPTIONS, &1, Some(Duration::from_secs(1))).expect("kept");
        assert_eq!(store.seconds().expect("readable").len(), 1);
    }

    #[test]
    fn one_holder_at_a_time() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = opened(folder.path());
        assert!(matches!(Store::open(folder.path()), Err(StoreError::InUse(_))));
        drop(store);
        opened(folder.path());
    }

    #[test]
    fn what_is_not_ours_or_not_whole_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(STORE_FILE);
        std::fs::write(&path, "a text that is long enough to be no empty file\n".repeat(100)).expect("writable");
        let error = Store::open(folder.path()).expect_err("a text");
        assert!(matches!(error, StoreError::Foreign(_)), "{error}");
        assert_eq!(error.to_string().lines().count(), 1);

        std::fs::remove_file(&path).expect("removable");
        Connection::open(&path).and_then(|other| other.execute_batch("CREATE TABLE t (x)")).expect("a database");
        assert!(matches!(Store::open(folder.path()), Err(StoreError::Foreign(_))));

        std::fs::remove_file(&path).expect("removable");
        opened(folder.path()).put("f", &CODE, &OPTIONS, &"x".repeat(100_000)).expect("kept");
        Connection::open(&path).and_then(|other| other.pragma_update(None, "user_version", 2)).expect("writable");
        assert!(matches!(Store::open(folder.path()), Err(StoreError::Layout { found: 2, .. })));

        std::fs::remove_file(&path).expect("removable");
        std::fs::create_dir(&path).expect("writable");
        assert!(matches!(Store::open(folder.path()), Err(StoreError::Access { .. })));
    }

    /// A flipped byte anywhere is an error or does not matter; it never changes a result.
    #[test]
    fn damage_is_never_a_result() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(STORE_FILE);
        let value = "proved unreachable".repeat(20);
        opened(folder.path()).put("f", &CODE, &OPTIONS, &value).expect("kept");
        let whole = std::fs::read(&path).expect("readable");
        let mut errors = 0;
        for at in (0..whole.len()).step_by(61) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x20;
            std::fs::write(&path, &damaged).expect("writable");
            let read = Store::open(folder.path()).and_then(|store| store.get::<String>("f", &CODE, &OPTIONS));
            match read {
                Ok(found) => assert!(found.is_none_or(|found| found == value), "byte {at}"),
                Err(error) => {
                    // SQLite's list of damages has a heading.
                    assert!(!error.to_string().contains("***"), "byte {at}: {error}");
                    errors += 1;
                }
            }
        }
        assert!(errors > 3, "{errors}");
        // The last page is that of times, and empty: half of the one before goes as well.
        let cut = &whole[..whole.len() - 6000];
        std::fs::write(&path, cut).expect("writable");
        let read = Store::open(folder.path()).and_then(|store| store.get::<String>("f", &CODE, &OPTIONS));
        assert!(matches!(read, Err(StoreError::Damaged { .. })), "{read:?}");
    }

    #[test]
    fn a_full_disk_loses_nothing_that_was_kept() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = opened(folder.path());
        store.put("f", &CODE, &OPTIONS, &1).expect("kept");
        store.connection().pragma_update(None, "max_page_count", 8).expect("accepted");
        let error = store.put("g", &CODE, &OPTIONS, &"x".repeat(100_000)).expect_err("full");
        assert!(matches!(error, StoreError::Full(_)), "{error}");
        drop(store);
        let store = opened(folder.path());
        assert_eq!(store.get::<i32>("f", &CODE, &OPTIONS).expect("readable"), Some(1));
        assert_eq!(store.get::<String>("g", &CODE, &OPTIONS).expect("readable"), None);
    }

    #[test]
    fn threads_share_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = opened(folder.path());
        std::thread::scope(|scope| {
            for half in 0..2 {
                let store = &store;
                scope.spawn(move || {
                    for index in 0..10 {
                        store.put(&format!("f{}", 2 * index + half), &CODE, &OPTIONS, &index).expect("kept");
                    }
                });
            }
        });
        assert_eq!(store.all::<u32>(&OPTIONS).expect("readable").len(), 20);
    }
}
