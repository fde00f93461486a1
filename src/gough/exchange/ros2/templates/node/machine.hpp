// {{ mark }}. Do not edit.
// The machine without ROS: positions are those of the robot file [m, rad].
#pragma once

#include "{{ name }}.h"

#include <array>
#include <cmath>
#include <string>

namespace {{ package }} {

constexpr int MOTORS = {{ motors | length }};
constexpr const char *JOINTS[MOTORS] = { {%- for joint in joints %}{{ quoted(joint) }}{{ ", " if not loop.last }}{% endfor -%} };
constexpr double AT_HOME[MOTORS] = { {{- home | join(", ") -}} };
constexpr double LOWEST[MOTORS] = { {%- for motor in motors %}{{ motor.travel[0] if motor.travel else "-INFINITY" }}{{ ", " if not loop.last }}{% endfor -%} };
constexpr double HIGHEST[MOTORS] = { {%- for motor in motors %}{{ motor.travel[1] if motor.travel else "INFINITY" }}{{ ", " if not loop.last }}{% endfor -%} };

using Pose = std::array<double, 7>;  // x y z [m] and the quaternion w x y z
using Six = std::array<double, 6>;   // linear, then angular; base axes
using Motors = std::array<double, MOTORS>;

template <class Numbers> bool all_finite(const Numbers &numbers) {
    for (double x : numbers)
        if (!std::isfinite(x)) return false;
    return true;
}

// Positions and efforts of the motors for the motion that the platform can do, near the target;
// an empty text, or why there are none.
inline std::string command(const Pose &pose, const Six &twist, const Six &acceleration, Motors &positions,
                           Motors &efforts) {
    Motors q, f;
    if (!all_finite(pose) || !all_finite(twist) || !all_finite(acceleration)) return "the target is not finite";
    double length = 0.0;
    for (int k = 3; k < 7; k++) length += pose[k] * pose[k];
    if (std::fabs(length - 1.0) > 1e-3) return "the target's quaternion is not of length one";
    {{ name }}_command(pose.data(), twist.data(), acceleration.data(), q.data(), f.data());
    if (!all_finite(q)) return "the target is out of reach";
    for (int k = 0; k < MOTORS; k++)
        if (!(q[k] >= LOWEST[k] && q[k] <= HIGHEST[k]))
            return std::string(JOINTS[k]) + " would leave its range, at " + std::to_string(q[k]);
    if (!all_finite(f)) return "the target is singular";
    efforts = f;
    positions = q;
    return "";
}

// Follows the platform from one sample to the next, from home on.
class Follower {
  public:
    // Whether there is a pose with these positions; its status is to be regarded.
    bool locate(const Motors &positions, Pose &pose, int &status) {
        double residual, iterations, ended;
        Pose found;
        if (!all_finite(positions)) return status = {{ Status.IMPOSSIBLE_LENGTHS.value }}, false;
        {{ name }}_forward_kinematics(positions.data(), state_.data(), found.data(), &residual, &iterations, &ended,
                             state_.data());
        status = static_cast<int>(ended);
        if (!all_finite(found)) return false;
        pose = found;
        return true;
    }

  private:
    std::array<double, {{ state | length }}> state_ = { {{- state | join(", ") -}} };
};

constexpr int CONVERGED = {{ Status.CONVERGED.value }};

inline const char *meaning(int status) {
    switch (status) {
{% for status in Status %}
    case {{ status.value }}: return "{{ status.meaning }}";
{% endfor %}
    default: return "unknown status";
    }
}

}  // namespace {{ package }}
