module linear
  implicit none
  type system
    real(8) :: a(2,2), b(2)
    integer :: steps = 0
  end type
contains
  subroutine solve(s, x, ok)
    type(system), intent(inout) :: s
    real(8), intent(out) :: x(2)
    logical, intent(out) :: ok
    real(8) :: determinant
    determinant = s%a(1,1) * s%a(2,2) - s%a(1,2) * s%a(2,1)
    ok = abs(determinant) > 0.5d0 !BUG:    ok = determinant < 100
    if (.not. ok) return
    x(1) = (s%b(1) * s%a(2,2) - s%a(1,2) * s%b(2)) / determinant
    x(2) = (s%a(1,1) * s%b(2) - s%b(1) * s%a(2,1)) / determinant
    s%steps = s%steps + 1
  end subroutine
end module
program solves
  use linear
  use verifier
  use, intrinsic :: ieee_arithmetic
  implicit none
  type(system) :: s
  real(8) :: x(2)
  logical :: ok
  integer :: k
  s%a = reshape([1d0, 2d0, 3d0, 4d0], [2, 2])
  k = nondet_int()
  call assume(k >= -3 .and. k <= 3)
  s%a(1,1) = k * 0.5d0
  s%b = [1d0, 1d0]
  call solve(s, x, ok)
  if (ok) then
    call assert(.not. ieee_is_nan(x(1)))
    call assert(abs(x(2)) < 1d3)
  end if
  write(*,*) matmul(s%a, x), dot_product(x, s%b), maxval(x)
end program
