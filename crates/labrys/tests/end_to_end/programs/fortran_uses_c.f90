program caller
  use verifier
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    function clamp(x) bind(c)
      import :: c_double
      real(c_double), value :: x
      real(c_double) :: clamp
    end function
  end interface
  real(8) :: x
  x = clamp(nondet_double())
  if (.not. (x >= -1 .and. x <= 1)) error stop 4
end program
