! Polymorphic objects and finalization. `log` is what flang's runtime makes of them.
module m
  implicit none
  integer :: log = 0
  type :: base
    integer :: a = 1
  contains
    procedure :: value => base_value
    final :: base_done
  end type
  type, extends(base) :: derived
    real(8) :: b = 2
    real(8), allocatable :: c(:)
  contains
    procedure :: value => derived_value
    final :: derived_done
  end type
  type, extends(derived) :: third
    class(base), allocatable :: inner
  end type
  type :: holder
    class(base), allocatable :: item
    class(*), allocatable :: any
    class(base), pointer :: p => null()
  end type
  type :: ranked
    integer :: k = 3
  contains
    final :: one, many
  end type
  type :: elem
    integer :: k = 3
  contains
    final :: each
  end type
contains
  subroutine note(i)
    integer, intent(in) :: i
    log = mod(log * 31 + i, 1000003)
  end subroutine
  function base_value(self) result(v)
    class(base), intent(in) :: self
    integer :: v
    v = self%a
  end function
  function derived_value(self) result(v)
    class(derived), intent(in) :: self
    integer :: v
    v = 10 * self%a + int(self%b)
    if (allocated(self%c)) v = v + 100 * size(self%c) + int(sum(self%c))
  end function
  subroutine base_done(x)
    type(base), intent(inout) :: x
    call note(1 + x%a)
  end subroutine
  subroutine derived_done(x)
    type(derived), intent(inout) :: x
    call note(2000 + int(x%b))
    if (allocated(x%c)) call note(size(x%c))
  end subroutine
  subroutine one(x)
    type(ranked), intent(inout) :: x
    call note(5 + x%k)
  end subroutine
  subroutine many(x)
    type(ranked), intent(inout) :: x(:)
    call note(500 + sum(x%k))
  end subroutine
  impure elemental subroutine each(x)
    type(elem), intent(inout) :: x
    call note(7 + x%k)
  end subroutine
  subroutine scope()
    type(base) :: l
    type(ranked) :: r
    type(ranked) :: rs(3)
    type(elem) :: es(2, 2)
    type(holder) :: h
    allocate(derived :: h%item)
    allocate(real(8) :: h%any)
    l%a = 40
    es(2, 1)%k = 9
    rs(2)%k = 11
    call note(99)
  end subroutine
  subroutine take(x, n)
    class(*), intent(in) :: x
    integer, intent(out) :: n
    select type (x)
    type is (integer)
      n = x
    type is (real(8))
      n = 100 + int(x)
    type is (character(*))
      n = 200 + len(x)
    class is (derived)
      n = 300 + x%value()
    class is (base)
      n = 400 + x%value()
    class default
      n = -1
    end select
  end subroutine
  function make(k) result(r)
    integer, intent(in) :: k
    class(base), allocatable :: r
    if (k == 1) then
      allocate(base :: r)
    else if (k == 2) then
      allocate(derived :: r)
    else
      allocate(third :: r)
    end if
    r%a = k
  end function
end module
program classes
  use m
  implicit none
  class(base), allocatable, target :: x, y
  class(base), allocatable :: xs(:), ys(:)
  class(*), allocatable :: u
  class(base), pointer :: q
  type(holder), allocatable :: h, h2
  type(holder) :: hs(3)
  type(derived) :: d
  type(base) :: b
  integer :: n, i
  allocate(derived :: x)
  select type (x)
  type is (derived)
    x%c = [1d0, 2d0, 3d0]
    x%b = 5
  end select
  call note(x%value())
  allocate(y, source=x)
  call note(y%value())
  select type (y)
  class is (derived)
    y%c(2) = 50
  end select
  call note(x%value() + 3 * y%value())
  if (same_type_as(x, y)) call note(11)
  if (extends_type_of(x, b)) call note(12)
  if (.not. extends_type_of(b, x)) call note(13)
  y = base(3)
  call note(y%value())
  if (.not. same_type_as(x, y)) call note(14)
  q => x
  call note(q%value())
  allocate(u, source=x)
  call take(u, n); call note(n)
  deallocate(u)
  allocate(u, source=3)
  call take(u, n); call note(n)
  u = 4.5d0
  call take(u, n); call note(n)
  u = d
  call take(u, n); call note(n)
  call take('hello', n); call note(n)
  allocate(h)
  allocate(h%item, source=x)
  h%any = 17
  h2 = h
  call note(h2%item%value())
  select type (z => h2%item)
  class is (derived)
    z%c = [9d0]
  end select
  call note(h%item%value() + 7 * h2%item%value())
  call take(h2%any, n); call note(n)
  deallocate(h)
  call take(h2%any, n); call note(n)
  do i = 1, 3
    hs(i)%item = make(i)
  end do
  n = 0
  do i = 1, 3
    n = n * 3 + hs(i)%item%value()
  end do
  call note(n)
  allocate(derived :: xs(2:4))
  xs(3)%a = 8
  allocate(ys, source=xs)
  n = 0
  do i = 1, size(ys)
    n = n + i * ys(i + lbound(ys, 1) - 1)%value()
  end do
  call note(n); call note(lbound(ys, 1))
  deallocate(xs)
  call scope()
  call move_alloc(y, x)
  call note(x%value())
  if (allocated(y)) call note(77)
  d%b = 6
  d = derived(a=2, b=3d0, c=[4d0, 5d0])
  call note(d%value())
  b = base(9)
  call note(b%value())
  deallocate(x)
  if (log /= 164208) error stop !BUG:  if (log == 164208) error stop
end program
