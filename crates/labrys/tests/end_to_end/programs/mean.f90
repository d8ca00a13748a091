module statistics
  implicit none
contains
  function mean(x) result(m)
    real(8), intent(in) :: x(:)
    real(8) :: m
    m = sum(x) / size(x)
  end function
end module
program averages
  use statistics
  use verifier
  implicit none
  real(8), allocatable :: a(:)
  integer :: i
  allocate(a(3))
  do i = 1, 3
    a(i) = nondet_double()
    call assume(a(i) >= 0 .and. a(i) <= 10)
  end do
  print *, "mean", mean(a)
  if (mean(a) > 10.5d0) error stop "too large" !BUG:  if (mean(a) > 9.5d0) error stop "too large"
  deallocate(a)
end program
