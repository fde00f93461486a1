{% macro arrays(kind, named) %}
{% for _, name in named %},
    {{ kind }} *__restrict__ {{ name }},
    const long long {{ name }}_sample,
    const long long {{ name }}_element
{%- endfor %}
{% endmacro %}
{{ banner }}
#ifndef NAN  /* the run-time compiler has no math.h */
#define NAN (__int_as_float(0x7fffffff))
#define INFINITY (__int_as_float(0x7f800000))
#endif

{% for function in language.functions() %}
{{ function }}
{% endfor %}
extern "C" __global__ void {{ name }}(
    const long long n
{{- arrays("const " ~ language.real, inputs) }}
{{- arrays(language.real, outputs) }})
{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= n) return;
{{ lines | join("\n") | indent(4, true) }}
}
