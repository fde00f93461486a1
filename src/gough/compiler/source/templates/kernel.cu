{% macro arrays(kind, named) %}
{% for _, name in named %},
    {{ kind }} *__restrict__ {{ name }},
    const long long {{ name }}_sample,
    const long long {{ name }}_element
{%- endfor %}
{% endmacro %}
{{ banner }}
{% include "constants.cu" %}

{% for function in functions %}
{{ function }}
{% endfor %}
extern "C" __global__ void {{ name }}(
    const long long n
{{- arrays("const " ~ language.real, inputs) }}
{{- arrays(language.real, outputs) }})
{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= n) return;
{% if language.room %}
    {{ language.real }} scratch[{{ language.room }}];
{% endif %}
{{ lines | join("\n") | indent(4, true) }}
}
