module statistics
  use kinds, only: dp
  implicit none
contains

  !> The variance of two numbers, as the difference of nearly equal ones.
  real(dp) function variance(x, y)
    real(dp), intent(in) :: x, y
    variance = (x * x + y * y) / 2 - ((x + y) / 2)**2
  end function

  !> The same, from the deviation.
  real(dp) function spread(x, y)
    real(dp), intent(in) :: x, y
    spread = ((x - y) / 2)**2
  end function
end module
