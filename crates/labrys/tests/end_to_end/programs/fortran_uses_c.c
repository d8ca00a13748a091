double clamp(double x) {
    if (x < -1) return -1;
    if (x > 1) return 1;
    return x == x ? x : 0; //BUG:    return x;
}
