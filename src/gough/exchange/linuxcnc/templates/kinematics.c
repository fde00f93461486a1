/* Between LinuxCNC's axes and joints, the pins, and the equations above, which know metres, radians
 * and quaternions. Nothing is allocated. */

#define DEGREES (180.0 / M_PI)

static struct __comp_state *pins; /* since the component was loaded */
static void take_geometry(double *numbers); /* the machine's lengths from its pins [m] */

/* What joints read beside the positions of the actuators at a pose [machine units]. */
static void corrections(const double *in, const double *pose, double *correction);
static void show_corrections(const double *correction);

static int extra_setup(struct __comp_state *component, char *prefix, long extra_arg) {
    (void)prefix;
    (void)extra_arg;
    pins = component;
    return 0;
}

static double joint_unit(int joint) {
    return TURNS[joint] ? DEGREES : *pins->units_per_metre;
}

/* From the axes X Y Z to the platform's origin [machine units]: the tip is below it along the
 * platform's z axis, and the axes are above the tip, as far, along the base's. */
static void offset_of(const double *quaternion, double *offset) {
    const double w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
    const double length = *pins->spindle_offset + *pins->tool_offset;
    offset[0] = length * 2.0 * (x * z + w * y);
    offset[1] = length * 2.0 * (y * z - w * x);
    offset[2] = length * -2.0 * (x * x + y * y);
}

/* Where the platform is [m] if it is turned so; along axes that the machine does not have, as at
 * home. */
static void place_of(const EmcPose *world, const double *quaternion, double *place) {
    const double unit = *pins->units_per_metre;
    double offset[3];
    offset_of(quaternion, offset);
    place[0] = HAS_X ? (world->tran.x + offset[0]) / unit : HOME[0];
    place[1] = HAS_Y ? (world->tran.y + offset[1]) / unit : HOME[1];
    place[2] = HAS_Z ? (world->tran.z + offset[2]) / unit : HOME[2];
}

/* x y z [m] and the quaternion w x y z of Rz(c) Ry(b) Rx(a); about axes that the machine does not
 * have it is turned as at home. */
static void pose_of(const EmcPose *world, double *pose) {
    const double a = (HAS_A ? world->a : HOME_ANGLES[0]) / DEGREES / 2.0;
    const double b = (HAS_B ? world->b : HOME_ANGLES[1]) / DEGREES / 2.0;
    const double c = (HAS_C ? world->c : HOME_ANGLES[2]) / DEGREES / 2.0;
    pose[3] = cos(a) * cos(b) * cos(c) + sin(a) * sin(b) * sin(c);
    pose[4] = sin(a) * cos(b) * cos(c) - cos(a) * sin(b) * sin(c);
    pose[5] = cos(a) * sin(b) * cos(c) + sin(a) * cos(b) * sin(c);
    pose[6] = cos(a) * cos(b) * sin(c) - sin(a) * sin(b) * cos(c);
    place_of(world, pose + 3, pose);
}

/* The angle [deg] among all with its direction that is nearest to the last one. */
static double nearest(double angle, double last) {
    return angle + 360.0 * floor((last - angle) / 360.0 + 0.5);
}

/* Axes that the machine does not have are zero. Where b is a right angle, only the sum or the
 * difference of a and c is determined: a stays as it was. */
static void world_of(const double *pose, EmcPose *world) {
    const double w = pose[3], x = pose[4], y = pose[5], z = pose[6];
    const double unit = *pins->units_per_metre;
    const double yz = 2.0 * (y * z + w * x), zz = 1.0 - 2.0 * (x * x + y * y);
    const double level = sqrt(yz * yz + zz * zz);
    const double last = (HAS_A ? world->a : HOME_ANGLES[0]) / DEGREES;
    const double roll = level > 1e-6 ? atan2(yz, zz) : last;
    const double sine = sin(roll) * 2.0 * (x * z + w * y) - cos(roll) * 2.0 * (x * y - w * z);
    const double cosine = cos(roll) * (1.0 - 2.0 * (x * x + z * z))
                          - sin(roll) * 2.0 * (y * z - w * x);
    const double a = DEGREES * roll;
    const double b = DEGREES * atan2(2.0 * (w * y - x * z), level);
    const double c = DEGREES * atan2(sine, cosine);
    double offset[3];
    offset_of(pose + 3, offset);
    world->tran.x = HAS_X ? pose[0] * unit - offset[0] : 0.0;
    world->tran.y = HAS_Y ? pose[1] * unit - offset[1] : 0.0;
    world->tran.z = HAS_Z ? pose[2] * unit - offset[2] : 0.0;
    world->a = HAS_A ? nearest(a, world->a) : 0.0;
    world->b = HAS_B ? nearest(b, world->b) : 0.0;
    world->c = HAS_C ? nearest(c, world->c) : 0.0;
    world->u = world->v = world->w = 0.0;
}

/* From a pose near the one sought, and on its side of all singular ones; whether there is one to
 * rely on, within the iterations allowed. `found` has pose, residual, iterations and status.
 * Corrections depend on the pose a little: the search is repeated until they stay. */
static int search(double *in, const double *joint, const double *guess, double *found) {
    double correction[JOINTS], last[JOINTS], iterations = 0.0;
    int k, stays;
    for (k = 0; k < 7; k++) found[k] = guess[k];
    corrections(in, found, correction);
    do {
        for (k = 0; k < 7; k++) in[GUESS + k] = found[k];
        for (k = 0; k < JOINTS; k++) {
            last[k] = correction[k];
            in[NUMBERS + k] = (joint[k] - last[k]) / joint_unit(k);
        }
        in[GUESS + 7] = 0.0; /* the side of the guess */
        in[GUESS + 8] = *pins->convergence_criterion;
        in[GUESS + 9] = STRIDE;
        forward_kinematics(in, found);
        found[8] = iterations += found[8];
        if (found[9] != CONVERGED && found[9] != OUTSIDE_STROKE) return 0;
        corrections(in, found, correction);
        for (k = 0, stays = 1; k < JOINTS; k++)
            stays = stays && fabs(correction[k] - last[k]) <= 1e-13 * fabs(joint[k]);
    } while (!stays && iterations < *pins->limit_iterations);
    return stays && iterations <= *pins->limit_iterations;
}

static int kins_type; /* 0: the machine's kinematics, 1: every axis is a joint */
static EmcPose known; /* the axes of type 0, also while another type is in use */
static int switched;  /* whether the axes that LinuxCNC knows are those of another type */

static double *axis_of(EmcPose *world, int axis) {
    double *all[6] = {&world->tran.x, &world->tran.y, &world->tran.z, &world->a, &world->b, &world->c};
    return all[axis];
}

/* The pose near `known` that has these joints; whether there is one. The first time also near home:
 * later that would be a leap. */
static int locate(const double *joint) {
    static double in[GUESS + 10], found[10];
    static int follows;
    double guess[7];
    int ok;
    take_geometry(in);
    pose_of(&known, guess);
    ok = search(in, joint, guess, found) || (!follows && search(in, joint, HOME, found));
    follows = follows || ok;
    *pins->last_iterations = found[8];
    *pins->residual = found[7];
    *pins->status = found[9];
    *pins->fwd_kins_fail = !ok;
    if (!ok) return 0;
    if (found[8] > *pins->max_iterations) *pins->max_iterations = found[8];
    world_of(found, &known);
    return 1;
}

int kinematicsForward(const double *joint, EmcPose *world,
                      const KINEMATICS_FORWARD_FLAGS *fflags, KINEMATICS_INVERSE_FLAGS *iflags) {
    int k, ok;
    (void)fflags;
    (void)iflags;
    if (kins_type == 0 && !switched) known = *world;
    ok = locate(joint);
    if (kins_type == 1) { /* the platform is followed, for the time after */
        for (k = 0; k < JOINTS; k++) *axis_of(world, AXES[k]) = joint[k];
        return 0;
    }
    if (!ok) return -1;
    switched = 0;
    *world = known;
    return 0;
}

/* Positions of the actuators, and the pose. A machine without an attitude of its own turns as it
 * must, and a tool with it: the place is sought again until it stays. */
static int solve(const EmcPose *world, double *in, double *q) {
    const double length = fabs(*pins->spindle_offset) + fabs(*pins->tool_offset);
    const double least = 1e-13 * length / *pins->units_per_metre;
    double place[3], *asked = in + NUMBERS;
    unsigned int tries;
    int k, stays;
    for (tries = 0; tries <= *pins->limit_iterations; tries++) {
        inverse_kinematics(in, q);
        place_of(world, q + JOINTS + 3, place);
        for (k = 0, stays = 1; k < 3; k++) {
            stays = stays && !(fabs(place[k] - asked[k]) > least);
            asked[k] = place[k];
        }
        if (stays) return 1;
    }
    return 0;
}

int kinematicsInverse(const EmcPose *world, double *joint,
                      const KINEMATICS_INVERSE_FLAGS *iflags, KINEMATICS_FORWARD_FLAGS *fflags) {
    static double in[NUMBERS + 7], q[JOINTS + 7], correction[JOINTS];
    const double *found = q + JOINTS; /* the pose, possible for the machine */
    int k;
    (void)iflags;
    (void)fflags;
    if (kins_type == 1) {
        EmcPose axes = *world;
        for (k = 0; k < JOINTS; k++) joint[k] = *axis_of(&axes, AXES[k]);
        return 0;
    }
    take_geometry(in);
    pose_of(world, in + NUMBERS);
    if (!solve(world, in, q)) return -1;
    corrections(in, found, correction);
    for (k = 0; k < JOINTS; k++)
        if (!(fabs(q[k]) + fabs(correction[k]) < INFINITY)) return -1;
    for (k = 0; k < JOINTS; k++) joint[k] = q[k] * joint_unit(k) + correction[k];
    show_corrections(correction);
    return 0;
}

KINEMATICS_TYPE kinematicsType(void) { return KINEMATICS_BOTH; }

#ifdef KINS_NOT_SWITCHABLE /* since LinuxCNC 2.9 */
int kinematicsSwitchable(void) { return SWITCHABLE; }

int kinematicsSwitch(int type) {
    if (type != 0 && !(SWITCHABLE && type == 1)) {
        rtapi_print_msg(RTAPI_MSG_ERR, "kinematics of type %d: not known\n", type);
        return -1;
    }
    switched = switched || type != kins_type;
    kins_type = type;
    *pins->kinstype_is_0 = type == 0;
    *pins->kinstype_is_1 = type == 1;
    return 0;
}
EXPORT_SYMBOL(kinematicsSwitchable);
EXPORT_SYMBOL(kinematicsSwitch);
#endif
EXPORT_SYMBOL(kinematicsType);
EXPORT_SYMBOL(kinematicsForward);
EXPORT_SYMBOL(kinematicsInverse);
