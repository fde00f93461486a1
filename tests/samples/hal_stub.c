/* Enough of LinuxCNC's HAL to load kinematics outside of it: memory, and pins by their names. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PINS = 4096, NAME = 64, MEMORY = 1 << 16 };
static struct { char name[NAME]; void *value; } pins[MOST_PINS];
static int n_pins;
static double memory[MEMORY];
static size_t taken;

void *hal_malloc(long size) {
    void *place = memory + taken;
    taken += (size + sizeof(double) - 1) / sizeof(double);
    return taken <= MEMORY ? place : NULL;
}

static int added(void **place, const char *name) {
    if (n_pins == MOST_PINS || !(*place = hal_malloc(sizeof(double)))) return -1;
    snprintf(pins[n_pins].name, NAME, "%s", name);
    pins[n_pins++].value = *place;
    return 0;
}

int stub_count(void) { return n_pins; }

void *stub_pin(const char *name, int first) {
    for (int k = first; k < n_pins; k++)
        if (!strcmp(pins[k].name, name)) return pins[k].value;
    return NULL;
}

#define PIN(type)                                                                          \
    int hal_pin_##type##_new(const char *name, int way, void **place, int component) {     \
        (void)way, (void)component;                                                        \
        return added(place, name);                                                         \
    }                                                                                      \
    int hal_pin_##type##_newf(int way, void **place, int component, const char *form, ...) { \
        char name[NAME];                                                                   \
        va_list values;                                                                    \
        (void)way, (void)component;                                                        \
        va_start(values, form);                                                            \
        vsnprintf(name, NAME, form, values);                                               \
        va_end(values);                                                                    \
        return added(place, name);                                                         \
    }
PIN(float)
PIN(bit)
PIN(s32)
PIN(u32)

int hal_init(const char *name) { (void)name; return 1; }
int hal_ready(int component) { (void)component; return 0; }
int hal_exit(int component) { (void)component; return 0; }
void rtapi_print(const char *form, ...) { (void)form; }
void rtapi_print_msg(int level, const char *form, ...) { (void)level, (void)form; }
int rtapi_snprintf(char *text, unsigned long size, const char *form, ...) {
    va_list values;
    va_start(values, form);
    int length = vsnprintf(text, size, form, values);
    va_end(values);
    return length;
}
