; Botella, Gotlieb, Michel, "Symbolic execution of floating-point computations", STVR 2006: x > 0 and x + 1e12 = 1e12. No real
; number satisfies it, and many floats do.
(set-logic QF_FP)
(set-info :status sat)
(declare-const x Float32)
(define-fun large () Float32 ((_ to_fp 8 24) RNE 1000000000000.0))
(assert (fp.gt x ((_ to_fp 8 24) RNE 0.0)))
(assert (fp.eq (fp.add RNE x large) large))
(check-sat)
(get-value (x))
