  ! Whether a test is named on the command line, or none is.
  function labrys_is_wanted(name) result(is_wanted)
    character(*), intent(in) :: name
    logical :: is_wanted
    character(200) :: argument
    integer :: place
    is_wanted = command_argument_count() == 0
    do place = 1, command_argument_count()
      call get_command_argument(place, argument)
      is_wanted = is_wanted .or. argument == name
    end do
  end function

  ! Floats are compared by their bits: with fast arithmetic a comparison of NaNs says anything.
  pure function labrys_place(bits) result(place)
    integer(c_int64_t), intent(in) :: bits
    integer(c_int64_t) :: place
    place = bits
    if (bits < 0) place = ieor(bits, huge(bits))
  end function

  pure function labrys_is_near(a, b, ulps) result(is_near)
    integer(c_int64_t), intent(in) :: a, b, ulps
    logical :: is_near
    integer(c_int64_t) :: low, high
    low = min(a, b)
    high = max(a, b)
    if (low < 0) then
      is_near = high <= low + ulps
    else
      is_near = high - low <= ulps
    end if
  end function

  pure function labrys_is_within_double(is, should, ulps) result(is_within)
    real(c_double), intent(in) :: is, should
    integer(c_int64_t), intent(in) :: ulps
    logical :: is_within
    is_within = labrys_is_near(labrys_place(transfer(is, 0_c_int64_t)), labrys_place(transfer(should, 0_c_int64_t)), ulps)
  end function

  pure function labrys_place_of_float(number) result(place)
    real(c_float), intent(in) :: number
    integer(c_int64_t) :: place
    integer(c_int32_t) :: bits
    bits = transfer(number, 0_c_int32_t)
    if (bits < 0) bits = ieor(bits, huge(bits))
    place = int(bits, c_int64_t)
  end function

  pure function labrys_is_within_float(is, should, ulps) result(is_within)
    real(c_float), intent(in) :: is, should
    integer(c_int64_t), intent(in) :: ulps
    logical :: is_within
    is_within = labrys_is_near(labrys_place_of_float(is), labrys_place_of_float(should), ulps)
  end function

  pure function labrys_is_finite_double(number) result(is_finite)
    real(c_double), intent(in) :: number
    logical :: is_finite
    is_finite = ibits(transfer(number, 0_c_int64_t), 52, 11) /= 2047
  end function

  pure function labrys_is_nan_double(number) result(is_nan)
    real(c_double), intent(in) :: number
    logical :: is_nan
    is_nan = .not. labrys_is_finite_double(number) .and. ibits(transfer(number, 0_c_int64_t), 0, 52) /= 0
  end function

  pure function labrys_is_finite_float(number) result(is_finite)
    real(c_float), intent(in) :: number
    logical :: is_finite
    is_finite = ibits(transfer(number, 0_c_int32_t), 23, 8) /= 255
  end function

  pure function labrys_is_nan_float(number) result(is_nan)
    real(c_float), intent(in) :: number
    logical :: is_nan
    is_nan = .not. labrys_is_finite_float(number) .and. ibits(transfer(number, 0_c_int32_t), 0, 23) /= 0
  end function

  subroutine labrys_expect(holds, words)
    logical, intent(in) :: holds
    character(*), intent(in) :: words
    if (holds) return
    print '(2a)', 'NOT so: ', words
    failures = failures + 1
  end subroutine
