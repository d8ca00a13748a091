program bounds
  use verifier
  implicit none
  integer :: i
  real(8), allocatable :: table(:)
  real(8) :: value
  allocate(table(8))
  table = 1.5d0
  i = nondet_int()
  if (i < 1 .or. i > 8) stop 1 !BUG:  if (i < 1 .or. i > 9) stop 1
  value = table(i)
  if (value > 1d0) print '(A,F8.3)', "value", value
end program
