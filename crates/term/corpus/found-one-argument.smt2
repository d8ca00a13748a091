; read as a disjunction, printed without it
(declare-const x Bool)
(assert (or x))
(assert (and x))
(assert (= (concat #b1) #b1))
