#ifndef NAN  /* the run-time compiler has no math.h */
#define NAN (__int_as_float(0x7fffffff))
#define INFINITY (__int_as_float(0x7f800000))
#endif
{% if language.real == "double" %}

/* Quotients and roots without branches, rounded as the exact ones in 10^7 random cases: the exact
   ones have calls for rare numbers, across which values cannot stay in registers. By Newton's
   method from the device's approximations. Infinite, zero and undefined numbers are as usual but
   beside subnormal ones, which count as zero, and divisors beyond 4.5e307, which count as
   infinite. */
#ifdef __CUDACC__
#define LARGEST 1.7976931348623157e308
#define SMALLEST 2.2250738585072014e-308
static __device__ double reciprocal(double x)
{
    double first, y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(first) : "d"(x));
    y = fma(first, fma(-x, first, 1.0), first);
    y = fma(y, fma(-x, y, 1.0), y);
    return first == 0.0 || fabs(first) > LARGEST ? first : y;
}
static __device__ double quotient(double a, double b)
{
    const double y = reciprocal(b), q = a * y;
    return y != 0.0 && fabs(q) <= LARGEST && fabs(y) <= LARGEST ? fma(fma(-b, q, a), y, q) : q;
}
static __device__ double square_root(double x)
{
    double y, g, h, e;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    g = x * y;
    h = 0.5 * y;
    e = fma(-g, h, 0.5);
    g = fma(g, e, g);
    h = fma(h, e, h);
    e = fma(-g, h, 0.5);
    g = fma(g, e, g);
    h = fma(h, e, h);
    g = fma(fma(-g, g, x), h, g);
    return fabs(x) < SMALLEST ? 0.0 * x : x > LARGEST ? x : g;
}
#else
#define reciprocal(x) (1.0 / (x))
#define quotient(a, b) ((a) / (b))
#define square_root(x) sqrt(x)
#endif
{% endif %}
