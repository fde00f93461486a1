{% set real, zero = language.real, language.number(0.0) %}
{{ real }} work[{{ n_in }}], next[{{ n + 1 }}], status = {{ zero }};
int k, count = 0;
{% if language.unrolled %}
{{ language.unrolled }}
{% endif %}
for (k = 0; k < {{ n_in }}; k++) work[k] = in[k];
{% if language.repeated %}
{{ language.repeated }}
{% endif %}
while (status == {{ zero }} && count < {{ at_most }}) {
    {{ step }}(work, next);
{% if language.unrolled %}
    {{ language.unrolled }}
{% endif %}
    for (k = 0; k < {{ n }}; k++) work[k] = next[k];
    status = next[{{ n }}];
    count++;
}
{% if language.unrolled %}
{{ language.unrolled }}
{% endif %}
for (k = 0; k < {{ n }}; k++) out[k] = work[k];
out[{{ n }}] = ({{ real }})count;
out[{{ n + 1 }}] = status;
