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

  !> The mean: the sum overflows where the mean does not.
  real(dp) function mean(values)
    real(dp), intent(in) :: values(:)
    integer :: i
    mean = 0
    do i = 1, size(values)
      mean = mean + values(i)
    end do
    mean = mean / size(values)
  end function
end module
