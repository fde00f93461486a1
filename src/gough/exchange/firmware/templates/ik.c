/* {{ mark }}. Do not edit. */
#include "{{ name }}.h"
#include <math.h>
#if defined(__FAST_MATH__) || __FINITE_MATH_ONLY__
#error "compile without -ffast-math: it leaves out the checks of numbers that are not finite"
#endif

#define N {{ NAME }}_ACTUATORS
const {{ real }} {{ name }}_home_positions[N] = { {{- positions -}} };
static const {{ real }} lowest[N] = { {{- lowest -}} };
static const {{ real }} highest[N] = { {{- highest -}} };

{{ function }}
{{ name }}_status {{ name }}(const {{ real }} pose[6], {{ real }} positions[N], int *actuator) {
    {{ real }} found[N];
    int k;
    *actuator = -1;
    for (k = 0; k < 6; k++)
        if (!isfinite(pose[k])) return {{ NAME }}_NOT_FINITE;
    inverse_kinematics(pose, found);
    for (k = 0; k < N; k++)
        if (!isfinite(found[k])) return {{ NAME }}_UNREACHABLE;
    for (k = N - 1; k >= 0; k--)
        if (!(found[k] >= lowest[k] && found[k] <= highest[k])) *actuator = k;
    if (*actuator >= 0) return {{ NAME }}_OUT_OF_RANGE;
    for (k = 0; k < N; k++) positions[k] = found[k];
    return {{ NAME }}_OK;
}
