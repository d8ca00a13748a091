(declare-const x Float32)(assert (let ((a (fp.abs x))) (let ((b (fp.neg a))) (let ((c (fp.add RNE a b))) (fp.isNaN (! c :named d))))))
(assert (forall ((y Bool)) y))
