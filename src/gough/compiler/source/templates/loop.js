{% for k in range(n) %}
let state{{ k }} = in{{ k }};
{% endfor %}
let status = 0, count = 0;
while (status === 0 && count < {{ at_most }}) {
  const next = {{ step }}({% for k in range(n_in) %}{{ ", " if k }}{{ "state" if k < n else "in" }}{{ k }}{% endfor %});
{% for k in range(n) %}
  state{{ k }} = next[{{ k }}];
{% endfor %}
  status = next[{{ n }}];
  count += 1;
}
return [{% for k in range(n) %}state{{ k }}, {% endfor %}count, status];
