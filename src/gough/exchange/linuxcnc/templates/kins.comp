{% macro c_name(pin) %}*pins->{{ pin | replace("-", "_") | replace(".", "_") }}{% endmacro %}
// {{ mark }}; adjust its pins, not its text.
component {{ name }} "Kinematics of {{ title }}";
description """
[KINS] KINEMATICS = {{ name }}
[KINS] JOINTS = {{ turns | length }}
[TRAJ] COORDINATES = {{ axes | join(" ") }}

Joints are the positions of the actuators in {{ units | join(" or ") }}.
X Y Z are those of the tool's tip, plus the two offsets along z: a tool changes no
axis of a platform that is not tilted. A B C, in degrees, are roll, pitch and yaw of
the platform: R = Rz(C) Ry(B) Rx(A). Axes that are not named are zero, whatever the
machine does along and about them.

Forward kinematics start where LinuxCNC has the platform; the first time
also at home, if nothing is found from there. Poses of status 1 or 4 are taken only.
Status:

{% for status in Status if status is not sameas Status.UNCERTAIN %}
{{ status.value }}: {{ status.meaning }}.
{% endfor %}

{% if identity %}
motion.switchkins-type is 0 for these, or 1: then {% for axis in identity %}{{ axis }} is joint {{ loop.index0 }}{{ ", " if not loop.last }}{% endfor %}.
The platform is followed meanwhile; type 0 starts where it then is.
{% else %}
motion.switchkins-type is 0: there are more joints than axes.
{% endif %}
""";
{% for pin, meaning, value in lengths %}
pin in float {{ pin }} = {{ value }} "{{ meaning }} of the machine";
{% endfor %}
{% if struts %}
{% for pin, end in joint_axes %}
pin in float {{ pin }} = 0 "joint axis at the {{ end }}, in its own axes";
{% endfor %}
pin in float screw-lead = 0 "of screws that turn with their struts; right-handed: > 0";
{% for _ in turns %}
pin out float correction.{{ loop.index0 }} = 0 "by the turn of the strut";
{% endfor %}
{% endif %}
pin in float units-per-metre = 1000.0 "machine units in a metre; of inches 39.3701";
pin in float spindle-offset = 0 "how far the spindle's nose is below the platform's origin";
pin in float tool-offset = 0 "how far the tool's tip is below that: motion.tooloffset.z";
pin in float convergence-criterion = {{ tolerance }} "maximum last step: lengths over the machine's size, angles in radians";
pin in unsigned limit-iterations = {{ at_most }} "more fail; {{ at_most }} are the most";
pin out unsigned last-iterations = 0 "steps of the last search for a pose";
pin out unsigned max-iterations = 0 "maximum steps of a search that found a pose";
pin out float residual = 0 "maximum joint error at the last pose, in metres or radians";
pin out signed status = 0 "how the last search ended, see above";
pin out bit kinstype.is-0 = 1 "whether the kinematics are the machine's";
pin out bit kinstype.is-1 = 0 "whether every axis is a joint";
pin out bit fwd-kins-fail = 0 "whether the last search found no pose to rely on";
option singleton yes;
option extra_setup yes;
option no_convenience_defines yes;
license "Dual BSD/GPL";
author "Gough";
;;
#include "rtapi_math.h"
#include "kinematics.h"

#define JOINTS {{ turns | length }}
#define NUMBERS {{ lengths | length }}
#define GUESS (NUMBERS + JOINTS)
#define STRIDE {{ stride }}
#define CONVERGED {{ Status.CONVERGED.value }}
#define OUTSIDE_STROKE {{ Status.OUTSIDE_STROKE.value }}
{% for axis in "XYZABC" %}
#define HAS_{{ axis }} {{ (axis in axes) | int }}
{% endfor %}
#define SWITCHABLE {{ (identity | length > 0) | int }}
static const int AXES[JOINTS] = { {{- places | join(", ") -}} }; /* of the joints, in type 1 */
static const int TURNS[JOINTS] = { {{- turns | join(", ") -}} };
static const double HOME[7] = { {{- home | join(", ") -}} };
static const double HOME_ANGLES[3] = { {{- home_angles | join(", ") -}} };

{{ inverse_kinematics }}
{{ forward_kinematics }}
{% include "kinematics.c" %}

static void take_geometry(double *numbers) {
{% for pin, _, _ in lengths %}
    numbers[{{ loop.index0 }}] = {{ c_name(pin) }} / *pins->units_per_metre;
{% else %}
    (void)numbers;
{% endfor %}
}

{% if struts %}
{% include "screw_corrections.c" %}

static void take_axes(double *numbers) {
{% for pin, _ in joint_axes %}
    numbers[{{ loop.index0 }}] = {{ c_name(pin) }};
{% endfor %}
}

static void show_corrections(const double *correction) {
{% for _ in turns %}
    *pins->correction_{{ loop.index0 }} = correction[{{ loop.index0 }}];
{% endfor %}
}
{% else %}
{% include "no_corrections.c" %}
{% endif %}
