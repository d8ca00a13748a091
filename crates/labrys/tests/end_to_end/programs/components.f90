module polygons
  use verifier
  implicit none
  type polygon
    integer :: corners = 0
    real(8), allocatable :: x(:), y(:)
  end type
contains
  function regular(n) result(p)
    integer, intent(in) :: n
    type(polygon) :: p
    integer :: i
    p%corners = n
    allocate(p%x(n), p%y(n))
    do i = 1, n
      p%x(i) = i
      p%y(i) = i * i
    end do
  end function
  function area(p) result(a)
    type(polygon), intent(in) :: p
    real(8) :: a
    integer :: i, next
    a = 0
    do i = 1, p%corners
      next = mod(i, p%corners) + 1 !BUG:      next = i + 1
      a = a + p%x(i) * p%y(next) - p%x(next) * p%y(i)
    end do
    a = abs(a) / 2
  end function
end module
program areas
  use polygons
  implicit none
  type(polygon) :: p, q
  integer :: n
  real(8) :: r
  n = nondet_int()
  call assume(n >= 3 .and. n <= 5)
  p = regular(n)
  q = p
  q%x = q%x + 1
  call assert(p%x(1) == 1 .and. q%x(1) == 2)
  call random_number(r)
  print *, r, area(q)
  if (.not. area(p) >= 1) error stop
end program
