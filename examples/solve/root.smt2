; Is there a half-precision x between 1 and 4 whose rounded root, squared and rounded, is further than an ulp from x?
(set-logic QF_FP)
(declare-const x Float16)
(define-fun r () Float16 (fp.sqrt RNE x))
(define-fun back () Float16 (fp.mul RNE r r))
(assert (fp.leq ((_ to_fp 5 11) RNE 1.0) x ((_ to_fp 5 11) RNE 4.0)))
(assert (fp.gt (fp.abs (fp.sub RNE back x)) ((_ to_fp 5 11) RNE 0.002)))
(check-sat)
