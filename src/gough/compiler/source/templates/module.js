{{ beginning }}
/**
{% for line in program.doc.strip().split("\n") %}
 *{{ " " if line }}{{ plain(line) }}
{% endfor %}
 *
{% for a, name in inputs %}
 * @param {ArrayLike<number>} {{ "[" ~ name ~ "]" if a.optional else name }} {{ plain(described(a)) }}
{% endfor %}
{% for a, name in outputs %}
 * @param {Float64Array} [{{ name }}] {{ plain(described(a)) }}; it is written
{% endfor %}
 * @returns {{ "what is written" if outputs | length == 1 else "all that is written, by names" }}
 */
export function {{ program.name }}(
{% for a, name in inputs %}
  {{ name }}{{ " = new Float64Array(" ~ a.size ~ ")" if a.optional }},
{% endfor %}
{% for a, name in outputs %}
  {{ name }} = new Float64Array({{ a.size }}),
{% endfor %}
) {
{% for a, name in inputs + outputs %}
  expect("{{ name }}", {{ name }}, {{ a.size }});
{% endfor %}
{{ lines | join("\n") | indent(2, true) }}
{% if outputs | length == 1 %}
  return {{ outputs[0][1] }};
{% else %}
  return { {{ outputs | map(attribute=1) | join(", ") }} };
{% endif %}
}

function expect(name, array, count) {
  if (array.length === count) return;
  throw new RangeError(`${name} has ${array.length} numbers; expected ${count}`);
}
{% for function in functions %}

{{ function.rstrip() }}
{% endfor %}
