{% macro call(program, prefix) %}
{% set inputs, outputs = named(program) %}
{% for a, name in inputs %}
    const {{ language.real }} {{ name }}[{{ [a.size, 1] | max }}] = { {{- numbers(a) -}} };
{% endfor %}
{% for a, name in outputs %}
    {{ language.real }} {{ name }}[{{ [a.size, 1] | max }}];
{% endfor %}
    int k;
    {{ program.name }}({% for _, name in inputs + outputs %}{{ name }}{{ ", " if not loop.last }}{% endfor %});
{% for a, name in outputs %}
    for (k = 0; k < {{ a.size }}; k++)
        printf("{{ prefix }}{{ name }}[%d] = %.{{ 9 if language.suffix else 17 }}g\n", k, (double){{ name }}[k]);
{% endfor %}
{% endmacro %}
/* {{ mark }}; copy it before you change it.
 * Build:  cc -std=c99 -O2 {{ library.name }}.c {{ library.name }}_example.c -lm -o example */
#include "{{ library.name }}.h"

#include <math.h>
#include <stdio.h>

{% if library.programs | length > 1 %}
{% for program in library.programs %}
static void call_{{ program.name }}(void) {
{{ call(program, program.name ~ ".").rstrip() }}
}

{% endfor %}
{% endif %}
int main(void) {
{% if library.programs | length > 1 %}
{% for program in library.programs %}
    call_{{ program.name }}();
{% endfor %}
{% else %}
{{ call(library.programs[0], "").rstrip() }}
{% endif %}
    return 0;
}
