; the parameter's variable was made again, with another sort
(define-fun f ((x Bool)) Bool x)
(reset)
(define-fun f ((x Real)) Real x)
(declare-const x Bool)
(assert x)
