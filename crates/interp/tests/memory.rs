//! Typed cells against plain bytes: whatever is stored, copied, filled and loaded, the bytes are those of memory.

use labrys_float::{Environment, Float, Format};
use labrys_interp::{
    Base, Datum, Int, Memory, MemoryFaultKind, Never, ObjectId, ObjectKind, Pointer, Scalar, ScalarKind, Soft,
};
use labrys_program::HeapFamily;
use proptest::prelude::*;

const SIZE: u64 = 48;

type SoftMemory = Memory<Float, Never>;

#[derive(Clone, Debug)]
enum Action {
    StoreInt { offset: u64, bytes: u32, value: u128 },
    StoreDouble { offset: u64, value: f64 },
    StoreSingle { offset: u64, value: f32 },
    Fill { offset: u64, size: u64, byte: u8 },
    Copy { to: u64, from: u64, size: u64 },
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        (0..SIZE - 16, 1u32..17, any::<u128>()).prop_map(|(offset, bytes, value)| Action::StoreInt {
            offset,
            bytes,
            value
        }),
        (0..SIZE - 8, any::<f64>()).prop_map(|(offset, value)| Action::StoreDouble { offset, value }),
        (0..SIZE - 4, any::<f32>()).prop_map(|(offset, value)| Action::StoreSingle { offset, value }),
        (0..SIZE, 0..SIZE, any::<u8>())
            .prop_map(|(offset, size, byte)| { Action::Fill { offset, size: size.min(SIZE - offset), byte } }),
        (0..SIZE, 0..SIZE, 0..SIZE)
            .prop_map(|(to, from, size)| { Action::Copy { to, from, size: size.min(SIZE - to).min(SIZE - from) } }),
    ]
}

fn apply(memory: &mut SoftMemory, domain: &mut Soft, id: ObjectId, bytes: &mut [u8], action: &Action) {
    let at = |offset: u64| offset as usize;
    match *action {
        Action::StoreInt { offset, bytes: count, value } => {
            let scalar = Scalar::int(Int::new(8 * count, value));
            memory.store(domain, id, offset, u64::from(count), scalar);
            bytes[at(offset)..at(offset) + count as usize].copy_from_slice(&value.to_le_bytes()[..count as usize]);
        }
        Action::StoreDouble { offset, value } => {
            memory.store(domain, id, offset, 8, Scalar::float(Float::from_f64(value)));
            bytes[at(offset)..at(offset) + 8].copy_from_slice(&value.to_bits().to_le_bytes());
        }
        Action::StoreSingle { offset, value } => {
            memory.store(domain, id, offset, 4, Scalar::float(Float::from_f32(value)));
            bytes[at(offset)..at(offset) + 4].copy_from_slice(&value.to_bits().to_le_bytes());
        }
        Action::Fill { offset, size, byte } => {
            memory.fill(domain, id, offset, size, byte);
            bytes[at(offset)..at(offset + size)].fill(byte);
        }
        Action::Copy { to, from, size } => {
            memory.copy(domain, (id, to), (id, from), size);
            bytes.copy_within(at(from)..at(from + size), at(to));
        }
    }
}

fn bits(scalar: &Scalar<Float, Never>) -> u128 {
    match &scalar.datum {
        Datum::Int(int) => int.concrete().unwrap(),
        Datum::Float(float) => float.to_u128().unwrap(),
        Datum::Pointer(_) => unreachable!("no pointers are loaded"),
    }
}

fn object(pointer: &Pointer<Never>) -> ObjectId {
    match pointer.base {
        Base::Object { id, .. } => id,
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cells_are_bytes(actions in prop::collection::vec(action(), 1..24), loads in prop::collection::vec((0..SIZE - 16, 0..4), 8)) {
        let mut domain = Soft::new(Environment::default());
        let mut memory = SoftMemory::default();
        let id = object(&memory.allocate(SIZE, 16, ObjectKind::Heap(HeapFamily::Malloc), Some(0)));
        let mut bytes = vec![0; SIZE as usize];
        for action in &actions {
            apply(&mut memory, &mut domain, id, &mut bytes, action);
        }
        let snapshot = memory.clone();
        for (offset, kind) in loads {
            let kind = [
                ScalarKind::Int(8),
                ScalarKind::Int(64),
                ScalarKind::Float(Format::BINARY64),
                ScalarKind::Float(Format::BINARY32),
            ][kind as usize];
            let mut expected = [0; 16];
            let size = kind.size() as usize;
            expected[..size].copy_from_slice(&bytes[offset as usize..offset as usize + size]);
            let loaded = snapshot.load(&mut domain, id, offset, kind);
            prop_assert!(!loaded.tainted);
            prop_assert_eq!(bits(&loaded), u128::from_le_bytes(expected));
        }
    }
}

#[test]
fn states_share_memory_until_they_write() {
    let mut domain = Soft::new(Environment::default());
    let mut memory = SoftMemory::default();
    let id = object(&memory.allocate(8, 8, ObjectKind::Stack, Some(0)));
    let before = memory.clone();
    memory.store(&mut domain, id, 0, 8, Scalar::float(Float::from_f64(1.5)));
    assert_eq!(bits(&before.load(&mut domain, id, 0, ScalarKind::Int(64))), 0);
    assert_eq!(bits(&memory.load(&mut domain, id, 0, ScalarKind::Int(64))), u128::from(1.5f64.to_bits()));
}

#[test]
fn uninitialised_bytes_are_tainted_and_stay_so_when_copied() {
    let mut domain = Soft::new(Environment::default());
    let mut memory = SoftMemory::default();
    let (from, to) =
        (memory.allocate(16, 8, ObjectKind::Stack, None), memory.allocate(16, 8, ObjectKind::Stack, Some(0)));
    let (from, to) = (object(&from), object(&to));
    memory.store(&mut domain, from, 0, 4, Scalar::int(Int::new(32, 7)));
    memory.copy(&mut domain, (to, 0), (from, 0), 8);
    assert!(!memory.load(&mut domain, to, 0, ScalarKind::Int(32)).tainted);
    assert!(memory.load(&mut domain, to, 0, ScalarKind::Int(64)).tainted);
    assert!(memory.load(&mut domain, to, 4, ScalarKind::Int(32)).tainted);
    assert!(!memory.load(&mut domain, to, 8, ScalarKind::Int(32)).tainted);
}

#[test]
fn pointers_survive_a_trip_through_integers() {
    let mut domain = Soft::new(Environment::default());
    let mut memory = SoftMemory::default();
    let target = memory.allocate(32, 16, ObjectKind::Heap(HeapFamily::Malloc), Some(0));
    let cell = object(&memory.allocate(8, 8, ObjectKind::Stack, None));
    let pointer = Pointer::new(target.base, 24);
    memory.store(&mut domain, cell, 0, 8, Scalar::pointer(pointer.clone()));
    let integer = memory.load(&mut domain, cell, 0, ScalarKind::Int(64));
    assert_eq!(bits(&integer), u128::from(target.base.address() + 24));
    memory.store(&mut domain, cell, 0, 8, integer);
    assert_eq!(memory.load(&mut domain, cell, 0, ScalarKind::Pointer).datum, Datum::Pointer(pointer));
}

#[test]
fn wrong_accesses_are_told_apart() {
    let mut memory = SoftMemory::default();
    let id = object(&memory.allocate(8, 8, ObjectKind::Global, Some(0)));
    assert_eq!(memory.check(id, 0, 8, true), Ok(()));
    assert_eq!(memory.check(id, 1, 8, true), Err(MemoryFaultKind::OutOfBounds));
    assert_eq!(memory.check(id, u64::MAX, 8, false), Err(MemoryFaultKind::OutOfBounds));
    memory.set_open(id);
    assert_eq!(memory.check(id, 1, 8, false), Err(MemoryFaultKind::Undeclared));
    memory.set_constant(id);
    assert_eq!(memory.check(id, 0, 8, true), Err(MemoryFaultKind::ReadOnly));
    memory.release(id);
    assert_eq!(memory.check(id, 0, 1, false), Err(MemoryFaultKind::Dead));
}
