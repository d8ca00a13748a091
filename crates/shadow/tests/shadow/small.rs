//! Small programs whose figures are known.

use crate::fixture::Source;

#[test]
fn a_difference_cancels_where_it_says() {
    let source = Source::c("double f(double x) {\n  double y = x + 1;\n  return y - x;\n}\n");
    let mut subject = source.subject("double f(double x)");
    let call = subject.call(&[1e10]);
    assert!(subject.own_is_plain(&call));
    let record = &call.record;
    assert_eq!((record.outputs[0].high, record.outputs[0].low), (1.0, 0.0));
    assert_eq!((record.cancelled_bits, record.absorbed, record.parted_at), (33, 0, None));
    let site = &subject.shadow.sites[record.cancelled_at.unwrap()];
    assert_eq!(site.operator, "fsub");
    assert!(site.place(subject.program).unwrap().ends_with("f.c:3:12"), "{:?}", site.place(subject.program));
    // 1 is absorbed, and the shadow knows better.
    let call = subject.call(&[1e20]);
    assert!(subject.own_is_plain(&call));
    assert_eq!((call.record.outputs[0].high, call.record.absorbed), (1.0, 1));
}
