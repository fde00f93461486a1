/* {{ mark }}. Do not edit.

Inverse kinematics: positions of the actuators at a pose of the platform, x, y, z [m] and roll,
pitch, yaw [rad] with R = Rz(yaw) Ry(pitch) Rx(roll).
{%- if unread %} Not read, as the machine cannot: {{ unread | join(", ") }}.{% endif +%}
{% for actuator, unit, travel in actuators %}
  positions[{{ loop.index0 }}]: {{ actuator }} [{{ unit }}]{{ "" if travel else ", any: it has no range" }}
{% endfor %}
They are written only if the status is {{ NAME }}_OK: otherwise keep the last ones, and stop.
actuator is the number of the first one out of its range, or -1. */
#ifndef GOUGH_{{ NAME }}_H
#define GOUGH_{{ NAME }}_H

#define {{ NAME }}_ACTUATORS {{ actuators | length }}
typedef {{ real }} {{ name }}_real;
typedef enum {
    {{ NAME }}_OK = 0,
    {{ NAME }}_NOT_FINITE = 1,   /* the pose has a NaN or an infinity in it */
    {{ NAME }}_UNREACHABLE = 2,  /* no positions of the actuators give this pose */
    {{ NAME }}_OUT_OF_RANGE = 3  /* an actuator would leave its range */
} {{ name }}_status;

#ifdef __cplusplus
extern "C" {
#endif
extern const {{ real }} {{ name }}_home_positions[{{ NAME }}_ACTUATORS];
{{ name }}_status {{ name }}(const {{ real }} pose[6], {{ real }} positions[{{ NAME }}_ACTUATORS], int *actuator);
#ifdef __cplusplus
}
#endif

#endif
