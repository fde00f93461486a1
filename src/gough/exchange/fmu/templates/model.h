{% macro given(array) %}
{% for block in order %}({{ array }}) + FIRST_{{ block | upper }}{{ ", " if not loop.last }}{% endfor %}
{% endmacro %}
{% macro found(block) %}(f) + FIRST_{{ block | upper }} - FIRST_RATES{% endmacro %}
/* model.h: {{ tool }}. Do not edit. */
#ifndef GOUGH_MODEL_H
#define GOUGH_MODEL_H

{% for program in programs.values() %}
#include "{{ program.name }}.h"
{% endfor %}

#define MODEL "{{ identifier }}"
#define TOKEN "{{ token }}"
{% for block, listed in references.items() %}
#define FIRST_{{ block | upper }} {{ listed.start }}
{% endfor %}
{% for block, listed in references.items() %}
#define N_{{ block | upper }} {{ listed | length }}
{% endfor %}
#define N_VARIABLES {{ variables | length }}
#define PERIOD {{ period }}
#define ENDS_RUN {{ system.ends | int }}
#define QUATERNION {{ quaternion }}

#define EVALUATE(v, f) do { {% for block in computed %}{{ programs[block].name }}({{ given("v") }}, {{ found(block) }}); {% endfor %}} while (0)
#define SLOPES(v, d, f) {{ programs.slopes.name }}({{ given("v") }}, {{ given("d") }}{% for block in computed %}, {{ found(block) }}{% endfor %})
{% if "rates" in programs %}
#define RATE(v, f) {{ programs.rates.name }}({{ given("v") }}, (f))
{% endif %}
{% if "sample" in programs %}
#define REMEMBER(v, f) {{ programs.sample.name }}({{ given("v") }}, (f))
{% endif %}

static const double STARTS[] = {
{{ starts }}
};

static const char *const NAMES[] = {
{{ names }}
};

#endif
