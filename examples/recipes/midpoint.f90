! Halves before it adds, so that the sum cannot overflow.
real(8) function midpoint(a, b)
  real(8), intent(in) :: a, b
  midpoint = a / 2 + b / 2
end function
