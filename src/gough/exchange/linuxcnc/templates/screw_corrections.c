/* Struts whose screws are not kept from turning, between universal joints: as far as the joints turn
 * one end of a strut against the other, the nut travels along the screw. */

static void take_axes(double *numbers); /* base-n and platform-n of each leg from their pins */

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* A vector from the platform's axes to those of the base. */
static void turned(const double *quaternion, const double *vector, double *result) {
    double once[3], twice[3];
    int k;
    cross(quaternion + 1, vector, once);
    cross(quaternion + 1, once, twice);
    for (k = 0; k < 3; k++)
        result[k] = vector[k] + 2.0 * (quaternion[0] * once[k] + twice[k]);
}

/* [rad] how far the platform's end of a strut along s is turned against a quarter turn from the
 * base's end, by the axes of the two joints at base and platform. */
static double twist_of(const double *s, const double *base_axis, const double *platform_axis) {
    double by_base[3], by_platform[3], across[3];
    cross(base_axis, s, across);
    cross(s, across, by_base);
    cross(platform_axis, s, by_platform);
    return asin(dot(by_base, by_platform)
                / sqrt(dot(by_base, by_base) * dot(by_platform, by_platform)));
}

static void corrections(const double *in, const double *pose, double *correction) {
    static double axes[2 * 3 * JOINTS];
    const double *base = in, *platform = in + 3 * JOINTS;
    double arm[3], axis[3], s[3], length;
    int leg, k;
    take_axes(axes);
    for (leg = 0; leg < JOINTS; leg++) {
        correction[leg] = 0.0;
        if (*pins->screw_lead == 0.0) continue;
        turned(pose + 3, platform + 3 * leg, arm);
        turned(pose + 3, axes + 3 * (JOINTS + leg), axis);
        for (k = 0; k < 3; k++) s[k] = pose[k] + arm[k] - base[3 * leg + k];
        length = sqrt(dot(s, s));
        for (k = 0; k < 3; k++) s[k] /= length;
        correction[leg] = *pins->screw_lead / (2.0 * M_PI) * twist_of(s, axes + 3 * leg, axis);
    }
}
