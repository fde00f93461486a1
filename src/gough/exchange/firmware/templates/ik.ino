/* {{ mark }}: an Arduino sketch. Copy it before you change it.
 * A line "x y z roll pitch yaw" [m, rad] on the serial port is a set point. */
#include "{{ name }}.h"

static {{ name }}_real positions[{{ NAME }}_ACTUATORS]; /* the last that were all in their ranges */

/* Give the positions to your drives here: steps of steppers, pulses of servos. */
static void drive() {
    for (int k = 0; k < {{ NAME }}_ACTUATORS; k++) Serial.println(positions[k], {{ digits }});
}

void setup() {
    Serial.begin(115200);
    for (int k = 0; k < {{ NAME }}_ACTUATORS; k++) positions[k] = {{ name }}_home_positions[k];
}

void loop() {
    {{ name }}_real pose[6];
    int actuator;
    if (!Serial.available()) return;
    for (int k = 0; k < 6; k++) pose[k] = Serial.parseFloat();
    const {{ name }}_status status = {{ name }}(pose, positions, &actuator);
    if (status == {{ NAME }}_OK) return drive();
    Serial.print("refused, status "); /* the drives keep the last positions */
    Serial.print((int)status);
    Serial.print(", actuator ");
    Serial.println(actuator);
}
