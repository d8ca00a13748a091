program reading
  use verifier
  implicit none
  character(len=4) :: text
  integer :: i, n, digit, status
  real(8) :: x
  do i = 1, 4
    digit = nondet_int()
    call assume(digit >= 0 .and. digit <= 10)
    if (digit < 10) then
      text(i:i) = achar(iachar('0') + digit)
    else
      text(i:i) = ' '
    end if
  end do
  n = -1
  read(text, *, iostat=status) n
  if (status == 0 .and. n < 0) error stop "no number was read"
  if (status > 0) error stop "it is no number"
  if (status < 0 .and. text /= ' ') error stop "the text has digits"
  read(text, '(i2,f2.1)') n, x
  if (n < 0 .or. n > 99) error stop "two digits"
  if (x < 0 .or. x > 9.95d0) error stop "a digit and a tenth" !BUG:  if (x < 0 .or. x > 9.85d0) error stop "a digit and a tenth"
end program
