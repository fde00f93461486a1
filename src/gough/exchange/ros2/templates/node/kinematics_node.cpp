// {{ mark }}. Do not edit.
#include "machine.hpp"

#include <geometry_msgs/msg/pose_stamped.hpp>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <trajectory_msgs/msg/multi_dof_joint_trajectory_point.hpp>

#include <algorithm>
#include <memory>

using geometry_msgs::msg::PoseStamped;
using sensor_msgs::msg::JointState;
using trajectory_msgs::msg::MultiDOFJointTrajectoryPoint;

class Kinematics : public rclcpp::Node {
  public:
    Kinematics() : rclcpp::Node("{{ package }}") {
        from_home_ = declare_parameter<bool>("from_home", true);
        frame_ = declare_parameter<std::string>("frame_id", "base");
        command_ = create_publisher<JointState>("command", 10);
        pose_ = create_publisher<PoseStamped>("platform_pose", 10);
        target_ = create_subscription<PoseStamped>("target", 10, [this](const PoseStamped &target) {
            const auto &p = target.pose.position;
            const auto &o = target.pose.orientation;
            publish_command({p.x, p.y, p.z, o.w, o.x, o.y, o.z}, {}, {});
        });
        motion_ = create_subscription<MultiDOFJointTrajectoryPoint>(
            "target_motion", 10, [this](const MultiDOFJointTrajectoryPoint &motion) {
                if (motion.transforms.empty()) {
                    RCLCPP_WARN(get_logger(), "refused: the target has no transform");
                    return;
                }
                const auto &p = motion.transforms[0].translation;
                const auto &o = motion.transforms[0].rotation;
                publish_command({p.x, p.y, p.z, o.w, o.x, o.y, o.z}, first(motion.velocities),
                                first(motion.accelerations));
            });
        states_ = create_subscription<JointState>("joint_states", 10,
                                                  [this](const JointState &states) { publish_pose(states); });
    }

  private:
    template <class Twists> static {{ package }}::Six first(const Twists &twists) {
        if (twists.empty()) return {};
        const auto &l = twists[0].linear;
        const auto &a = twists[0].angular;
        return {l.x, l.y, l.z, a.x, a.y, a.z};
    }

    void publish_command(const {{ package }}::Pose &pose, const {{ package }}::Six &twist,
                         const {{ package }}::Six &acceleration) {
        {{ package }}::Motors positions, efforts;
        const std::string why = {{ package }}::command(pose, twist, acceleration, positions, efforts);
        if (!why.empty()) {
            RCLCPP_WARN(get_logger(), "refused: %s", why.c_str());
            return;
        }
        JointState message;
        message.header.stamp = now();
        for (int k = 0; k < {{ package }}::MOTORS; k++) {
            message.name.push_back({{ package }}::JOINTS[k]);
            message.position.push_back(positions[k] - (from_home_ ? {{ package }}::AT_HOME[k] : 0.0));
            message.effort.push_back(efforts[k]);
        }
        command_->publish(message);
    }

    void publish_pose(const JointState &states) {
        {{ package }}::Motors positions;
        for (int k = 0; k < {{ package }}::MOTORS; k++) {
            const auto named = std::find(states.name.begin(), states.name.end(), {{ package }}::JOINTS[k]);
            const auto place = static_cast<std::size_t>(named - states.name.begin());
            if (place >= states.position.size()) return;  // of another part of the robot
            positions[k] = states.position[place] + (from_home_ ? {{ package }}::AT_HOME[k] : 0.0);
        }
        {{ package }}::Pose pose;
        int status;
        const bool found = follower_.locate(positions, pose, status);
        if (status != {{ package }}::CONVERGED)
            RCLCPP_WARN_THROTTLE(get_logger(), *get_clock(), 1000, "platform pose: %s", {{ package }}::meaning(status));
        if (!found) return;
        PoseStamped message;
        message.header.stamp = states.header.stamp;
        message.header.frame_id = frame_;
        message.pose.position.x = pose[0];
        message.pose.position.y = pose[1];
        message.pose.position.z = pose[2];
        message.pose.orientation.w = pose[3];
        message.pose.orientation.x = pose[4];
        message.pose.orientation.y = pose[5];
        message.pose.orientation.z = pose[6];
        pose_->publish(message);
    }

    bool from_home_;
    std::string frame_;
    {{ package }}::Follower follower_;
    rclcpp::Publisher<JointState>::SharedPtr command_;
    rclcpp::Publisher<PoseStamped>::SharedPtr pose_;
    rclcpp::Subscription<PoseStamped>::SharedPtr target_;
    rclcpp::Subscription<MultiDOFJointTrajectoryPoint>::SharedPtr motion_;
    rclcpp::Subscription<JointState>::SharedPtr states_;
};

int main(int argc, char *argv[]) {
    rclcpp::init(argc, argv);
    rclcpp::spin(std::make_shared<Kinematics>());
    rclcpp::shutdown();
    return 0;
}
