/* {{ mark }}: an Arduino sketch. Copy it before you change it.
 * A line "x y z roll pitch yaw" [m, rad] on the serial port is a set point; any other is refused. */
#include "{{ name }}.h"
#include <ctype.h>
#include <stdlib.h>

static {{ name }}_real positions[{{ NAME }}_ACTUATORS]; /* the last that were all in their ranges */

/* Give the positions to your drives here: steps of steppers, pulses of servos. */
static void drive() {
    for (int k = 0; k < {{ NAME }}_ACTUATORS; k++) Serial.println(positions[k], {{ digits }});
}

void setup() {
    Serial.begin(115200);
    for (int k = 0; k < {{ NAME }}_ACTUATORS; k++) positions[k] = {{ name }}_home_positions[k];
}

/* Whether a line is six numbers, with blanks between them and nothing else. */
static bool is_pose(const char *text, {{ name }}_real pose[6]) {
    for (int k = 0; k < 6; k++) {
        char *end;
        pose[k] = strtod(text, &end);
        if (end == text || (*end != '\0' && !isspace((unsigned char)*end))) return false;
        text = end;
    }
    while (isspace((unsigned char)*text)) text++;
    return *text == '\0';
}

static void follow(const char *line) {
    {{ name }}_real pose[6];
    int actuator;
    if (!is_pose(line, pose)) {
        Serial.println("refused, not six numbers");
        return;
    }
    const {{ name }}_status status = {{ name }}(pose, positions, &actuator);
    if (status == {{ NAME }}_OK) return drive();
    Serial.print("refused, status "); /* the drives keep the last positions */
    Serial.print((int)status);
    Serial.print(", actuator ");
    Serial.println(actuator);
}

void loop() {
    static char line[200];
    static size_t length = 0;
    while (Serial.available()) {
        const char next = (char)Serial.read();
        if (next != '\n') {
            if (length < sizeof line) line[length++] = next == '\0' ? '?' : next;
            continue;
        }
        line[length < sizeof line ? length : 0] = '\0'; /* one that is too long is no pose */
        length = 0;
        follow(line);
    }
}
