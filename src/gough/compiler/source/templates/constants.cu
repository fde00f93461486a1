#ifndef NAN  /* the run-time compiler has no math.h */
#define NAN (__int_as_float(0x7fffffff))
#define INFINITY (__int_as_float(0x7f800000))
#endif
{% if language.real == "double" %}

/* Quotients and roots without branches: the exact ones have calls for rare numbers, across which
   values cannot stay in registers. By series of third order from the device's approximations, of 20
   bits; quotients and roots are then corrected by what they miss, and nearly all are rounded as the
   exact ones. Infinite, zero and undefined numbers are as usual but beside subnormal ones, which
   count as zero, and divisors beyond 4.5e307, which count as infinite. */
#ifdef __CUDACC__
static __device__ bool is_regular(double x)  /* not zero, subnormal, infinite or undefined */
{
    return ((__double2hiint(x) + 0x00100000) & 0x7fe00000) != 0;
}
static __device__ double reciprocal(double x)
{
    double y, e;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    e = fma(-x, y, 1.0);
    return is_regular(y) ? fma(y, fma(e, e, e), y) : y;
}
static __device__ double quotient(double a, double b)
{
    const double y = reciprocal(b), q = a * y;
    return is_regular(q) ? fma(fma(-b, q, a), y, q) : q;
}
static __device__ double root_series(double x, double y)  /* 1 / (y sqrt(x)) - 1 */
{
    const double e = fma(-x * y, y, 1.0);
    return e * fma(e, 0.375, 0.5);
}
static __device__ double square_root(double x)
{
    const int top = __double2hiint(x);
    double y, g;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    g = fma(x * y, root_series(x, y), x * y);
    g = fma(fma(-g, g, x), 0.5 * y, g);
    return is_regular(x) ? g : (top & 0x7ff00000) == 0 ? 0.0 : top > 0 ? x : g;
}
static __device__ double root_of_inverse(double x, double y)  /* y is 1 / sqrt(x) */
{
    const int top = __double2hiint(x);
    return is_regular(x) ? x * y : (top & 0x7ff00000) == 0 ? 0.0 : top > 0 ? x : y;
}
static __device__ double inverse_root(double x)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return is_regular(y) ? fma(y, root_series(x, y), y) : y;
}
#else
#define reciprocal(x) (1.0 / (x))
#define quotient(a, b) ((a) / (b))
#define square_root(x) sqrt(x)
#define inverse_root(x) (1.0 / sqrt(x))
#define root_of_inverse(x, y) sqrt(x)
#endif
{% endif %}
{% if language.constants %}

static __constant__ {{ language.real }} constants[] = {
    {{ language.constants | join(",\n    ") }}
};
{% endif %}
{% if language.tables %}

static __constant__ {{ language.real }} tables[] = {
{% for row in language.tables %}
    {{ row | join(", ") }},
{% endfor %}
};
{% endif %}
