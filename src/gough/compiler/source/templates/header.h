{{ first }}
#ifndef GOUGH_{{ library.name | upper }}_H
#define GOUGH_{{ library.name | upper }}_H

{% for name in library.index_names %}
{% if loop.first %}
/* The places of the robot's numbers in parameters. */
{% endif %}
#define {{ library.prefix | upper }}{{ name }} {{ loop.index0 }}
{% if loop.last %}

{% endif %}
{% endfor %}
#ifdef __cplusplus
extern "C" {
#endif

{% for program in library.programs %}
{{ described(program) }}
{{ prototype(program, language) }};

{% endfor %}
#ifdef __cplusplus
}
#endif

#endif
