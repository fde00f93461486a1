/* An instance of an FMU and what it does, whichever version of FMI it is asked by.
 *
 * A value reference is a place: first in `values` of what is given and kept, then in `found` of
 * what is computed from it. `model.h` lists where each part begins.
 */
#ifndef GOUGH_INSTANCE_H
#define GOUGH_INSTANCE_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#if defined _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#define N_KEPT FIRST_RATES
#define N_FOUND (N_VARIABLES - FIRST_RATES)
#define MOST_STEPS 1e9 /* at once: more would take hours */
#define ALMOST 1e-9 /* share of a step or period by which times may be rounded */

/* Both versions of FMI count so. */
enum { OK, WARNING, DISCARD, FAILED, FATAL };

typedef enum {
    INSTANTIATED = 1, INITIALIZING = 2, EVENT = 4, CONTINUOUS = 8, STEPPING = 16, TERMINATED = 32
} Mode;

/* All that changes: what an FMU's state is, as it is got, set and serialized. */
typedef struct {
    double values[N_KEPT + 1];
    double start;   /* time of the first sample [s] */
    double samples; /* how many are done */
    int mode;
    int over; /* whether the model has ended the run */
} Condition;

typedef struct {
    char token[sizeof(TOKEN)];
    Condition condition;
} Serialized;

typedef struct {
    Condition now;
    double found[N_FOUND + 1];
    int stale;    /* whether `found` is of other values */
    int exchange; /* model exchange, or co-simulation */
    char *name;
    void *environment;
    Logger logger;
} Instance;

/* Each version has its own kind of logger. */
static void tell(const Instance *instance, int status, const char *message);

static int complain(const Instance *instance, int status, const char *format, ...) {
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    tell(instance, status, message);
    return status;
}

static int all_finite(const double *numbers, size_t count) {
    size_t k;
    for (k = 0; k < count; k++)
        if (!isfinite(numbers[k])) return 0;
    return 1;
}

static void restart(Instance *instance) {
    memcpy(instance->now.values, STARTS, sizeof(STARTS));
    instance->now.start = instance->now.samples = 0.0;
    instance->now.mode = INSTANTIATED;
    instance->now.over = 0;
    instance->stale = 1;
}

static Instance *new_instance(
    const char *name, const char *token, int exchange, void *environment, Logger logger) {
    Instance *instance = calloc(1, sizeof(Instance));
    if (!instance) return NULL;
    instance->exchange = exchange;
    instance->environment = environment;
    instance->logger = logger;
    name = name ? name : MODEL;
    instance->name = calloc(strlen(name) + 1, 1);
    if (instance->name) strcpy(instance->name, name);
    if (!instance->name || !token || strcmp(token, TOKEN) != 0) {
        complain(instance, FAILED, "token %s; expected %s, as in the description of the model",
                 token ? token : "none", TOKEN);
        free(instance->name);
        free(instance);
        return NULL;
    }
    restart(instance);
    return instance;
}

static void free_instance(Instance *instance) {
    if (!instance) return;
    free(instance->name);
    free(instance);
}

static int expect(const Instance *instance, int modes, const char *what) {
    if (instance->now.mode & modes) return OK;
    return complain(instance, FAILED, "%s is not possible in this mode", what);
}

/* What is computed, of the values as they are. */
static const double *found(Instance *instance) {
    double *values = instance->now.values, *all = instance->found;
    if (instance->stale) {
        EVALUATE(values, all);
        instance->stale = 0;
    }
    return all;
}

static double value_of(Instance *instance, unsigned reference) {
    if (reference < N_KEPT) return instance->now.values[reference];
    return found(instance)[reference - N_KEPT];
}

static int get_values(
    Instance *instance, const unsigned *references, size_t count, double *values) {
    size_t k;
    for (k = 0; k < count; k++)
        if (references[k] >= N_VARIABLES)
            return complain(instance, FAILED, "value reference %u is not known; expected below %d",
                            references[k], N_VARIABLES);
    for (k = 0; k < count; k++) values[k] = value_of(instance, references[k]);
    return OK;
}

/* The modes in which a variable may be set. */
static int settable(unsigned reference) {
    const int early = INSTANTIATED | INITIALIZING;
    if (reference < FIRST_STEP || reference >= N_KEPT) return 0;
    if (reference < FIRST_PARAMETERS) return early;
    if (reference < FIRST_INPUTS) return early | EVENT | STEPPING;
    if (reference < FIRST_STATES) return early | EVENT | CONTINUOUS | STEPPING;
    return early;
}

static int check_value(const Instance *instance, unsigned reference, double value) {
    if (reference >= N_VARIABLES)
        return complain(instance, FAILED, "value reference %u is not known; expected below %d",
                        reference, N_VARIABLES);
    if (!(settable(reference) & instance->now.mode))
        return complain(instance, FAILED, "%s cannot be set%s", NAMES[reference],
                        settable(reference) ? " in this mode" : "");
    if (!isfinite(value))
        return complain(instance, FAILED, "%s is set to %g; expected a finite number",
                        NAMES[reference], value);
    if (reference >= FIRST_STEP && reference < FIRST_PARAMETERS && !(value > 0.0))
        return complain(instance, FAILED, "%s is set to %g s; expected above 0",
                        NAMES[reference], value);
    return OK;
}

/* Set all, or none if one of them cannot be. */
static int set_values(
    Instance *instance, const unsigned *references, size_t count, const double *values) {
    size_t k;
    for (k = 0; k < count; k++) {
        const int status = check_value(instance, references[k], values[k]);
        if (status != OK) return status;
    }
    for (k = 0; k < count; k++) instance->now.values[references[k]] = values[k];
    instance->stale = 1;
    return OK;
}

static int begin(Instance *instance, double time) {
    if (expect(instance, INSTANTIATED, "initialization") != OK) return FAILED;
    if (!isfinite(time)) return complain(instance, FAILED, "start time is %g s", time);
    instance->now.values[0] = instance->now.start = time;
    instance->now.mode = INITIALIZING;
    return OK;
}

#if N_STATES > 0
static void normalise(double *state) {
    double *q = state + QUATERNION, length = 0.0;
    int k;
    for (k = 0; k < 4; k++) length += q[k] * q[k];
    length = sqrt(length);
    for (k = 0; k < 4; k++) q[k] /= length;
}
#endif

static double next_sample(const Condition *now) {
    return now->start + now->samples * PERIOD;
}

/* Let a controller look and act, if it is time. */
static int sample(Instance *instance) {
#if N_MEMORY > 0
    Condition *now = &instance->now;
    double memory[N_MEMORY], passed;
    if (now->values[0] < next_sample(now) - ALMOST * PERIOD) return OK;
    REMEMBER(now->values, memory);
    if (!all_finite(memory, N_MEMORY))
        return complain(instance, FAILED, "the controller gave no number at t = %g s",
                        now->values[0]);
    memcpy(now->values + FIRST_MEMORY, memory, sizeof(memory));
    passed = floor((now->values[0] - now->start) / PERIOD + ALMOST);
    now->samples = fmax(now->samples, passed) + 1.0; /* late times are rounded to less than that */
    instance->stale = 1;
#else
    (void)instance;
#endif
    return OK;
}

/* Whether the run is over: an actuator is at an end of its travel, and there is no stop. */
static int ended(Instance *instance) {
#if ENDS_RUN && N_INDICATORS > 0
    const double *margin = found(instance) + FIRST_INDICATORS - N_KEPT;
    int k;
    for (k = 0; k < N_INDICATORS && !instance->now.over; k++) {
        if (margin[k] > ALMOST) continue;
        instance->now.over = 1;
        complain(instance, WARNING, "the run is over at t = %g s: %s is %g",
                 instance->now.values[0], NAMES[FIRST_INDICATORS + k], margin[k]);
    }
#endif
    return instance->now.over;
}

static int begun(Instance *instance) {
    if (expect(instance, INITIALIZING, "the end of initialization") != OK) return FAILED;
#if N_STATES > 0
    normalise(instance->now.values + FIRST_STATES);
    instance->stale = 1;
    if (!all_finite(found(instance), N_STATES))
        return complain(instance, FAILED, "the machine has no motion at its start: expected masses "
                        "and inertias, a pose that is not singular, and a rotation");
#endif
    if (ended(instance)) {
        instance->now.over = 0;
        return complain(instance, FAILED, "the start is not within the travels of the actuators");
    }
    instance->now.mode = instance->exchange ? EVENT : STEPPING;
    return OK;
}

#if N_STATES > 0
/* The classical Runge-Kutta method, one step of h [s]. */
static void rk4(Condition *now, double h) {
    double *state = now->values + FIRST_STATES;
    double first[N_STATES], sum[N_STATES], rates[N_STATES];
    static const double share[4] = {0.5, 0.5, 1.0, 0.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    int stage, k;
    memcpy(first, state, sizeof(first));
    for (k = 0; k < N_STATES; k++) sum[k] = 0.0;
    for (stage = 0; stage < 4; stage++) {
        RATE(now->values, rates);
        for (k = 0; k < N_STATES; k++) {
            sum[k] += weight[stage] * rates[k];
            state[k] = first[k] + share[stage] * h * rates[k];
        }
    }
    for (k = 0; k < N_STATES; k++) state[k] = first[k] + h / 6.0 * sum[k];
    normalise(state);
}

/* Equal steps of RK4, none longer than `step`, to a time [s] or to the end of the run. */
static int integrate(Instance *instance, double end) {
    Condition *now = &instance->now;
    const double begin = now->values[0];
    const double count = fmax(ceil((end - begin) / now->values[FIRST_STEP] - 1e-6), 1.0);
    double k;
    for (k = 1.0; k <= count && !instance->now.over; k++) {
        const Condition before = *now;
        rk4(now, (end - begin) / count);
        instance->stale = 1;
        if (!all_finite(now->values + FIRST_STATES, N_STATES)) {
            *now = before;
            return complain(instance, DISCARD, "the run was lost after t = %g s: expected a "
                            "shorter step, or a motion away from singular poses", now->values[0]);
        }
        now->values[0] = k < count ? begin + k * (end - begin) / count : end;
        ended(instance);
    }
    return OK;
}
#endif

/* The longest time [s] that it goes at once: a step of RK4, or a period of sampling. */
static double stride(const Condition *now) {
#if N_STATES > 0
    const double step = now->values[FIRST_STEP];
    return PERIOD > 0.0 ? fmin(PERIOD, step) : step;
#else
    (void)now;
    return PERIOD;
#endif
}

/* Co-simulation: go on from a time [s] by a step [s]. */
static int advance(Instance *instance, double from, double size) {
    Condition *now = &instance->now;
    double end = from + size;
    if (expect(instance, STEPPING, "a step") != OK) return FAILED;
    if (!isfinite(end) || !(size > 0.0))
        return complain(instance, FAILED, "step of %g s from t = %g s; expected above 0", size,
                        from);
    if (fabs(from - now->values[0]) > ALMOST * (1.0 + fabs(from)))
        return complain(instance, FAILED, "step from t = %g s; expected from t = %g s, where the "
                        "last one ended", from, now->values[0]);
    if (size / stride(now) > MOST_STEPS)
        return complain(instance, DISCARD, "%g steps of %g s to t = %g s; expected at most %g",
                        size / stride(now), stride(now), end, MOST_STEPS);
    while (now->values[0] < end - ALMOST * size && !instance->now.over) {
        double until = end;
        if (sample(instance) != OK) return FAILED;
        if (PERIOD > 0.0) until = fmin(end, next_sample(now));
        if (until > end - ALMOST * size) until = end;
#if N_STATES > 0
        if (integrate(instance, until) != OK) return DISCARD;
#else
        now->values[0] = until;
#endif
    }
    return OK;
}

/* Model exchange: what happens at an event. */
static int update(Instance *instance, double *next, int *next_defined) {
    if (expect(instance, EVENT, "an update at an event") != OK) return FAILED;
    if (sample(instance) != OK) return FAILED;
    *next_defined = PERIOD > 0.0;
    *next = PERIOD > 0.0 ? next_sample(&instance->now) : 0.0;
    ended(instance);
    return OK;
}

static int set_time(Instance *instance, double time) {
    if (expect(instance, CONTINUOUS | EVENT, "setting the time") != OK) return FAILED;
    if (!isfinite(time)) return complain(instance, FAILED, "time is %g s", time);
    instance->now.values[0] = time;
    return OK;
}

static int check_count(const Instance *instance, const char *what, size_t count, size_t expected) {
    if (count == expected) return OK;
    return complain(instance, FAILED, "%u %s; expected %u", (unsigned)count, what,
                    (unsigned)expected);
}

static int set_states(Instance *instance, const double *states, size_t count) {
    if (expect(instance, CONTINUOUS | EVENT, "setting the states") != OK ||
        check_count(instance, "states", count, N_STATES) != OK)
        return FAILED;
    if (!all_finite(states, count))
        return complain(instance, DISCARD, "states that are no numbers, at t = %g s",
                        instance->now.values[0]);
    memcpy(instance->now.values + FIRST_STATES, states, count * sizeof(double));
    instance->stale = 1;
    return OK;
}

static int get_states(Instance *instance, double *states, size_t count) {
    if (check_count(instance, "states", count, N_STATES) != OK) return FAILED;
    memcpy(states, instance->now.values + FIRST_STATES, count * sizeof(double));
    return OK;
}

static int get_nominals(Instance *instance, double *nominals, size_t count) {
    size_t k;
    if (check_count(instance, "states", count, N_STATES) != OK) return FAILED;
    for (k = 0; k < count; k++) nominals[k] = 1.0;
    return OK;
}

static int get_rates(Instance *instance, double *rates, size_t count) {
    if (check_count(instance, "states", count, N_STATES) != OK) return FAILED;
    memcpy(rates, found(instance), count * sizeof(double));
    if (all_finite(rates, count)) return OK;
    return complain(instance, DISCARD, "the motion has no number at t = %g s: the pose is singular",
                    instance->now.values[0]);
}

static int get_indicators(Instance *instance, double *indicators, size_t count) {
    if (check_count(instance, "event indicators", count, N_INDICATORS) != OK) return FAILED;
    memcpy(indicators, found(instance) + FIRST_INDICATORS - N_KEPT, count * sizeof(double));
    return OK;
}

/* How unknowns change as knowns change along a direction. */
static int get_slopes(
    Instance *instance, const unsigned *unknowns, size_t n_unknowns, const unsigned *knowns,
    size_t n_knowns, const double *direction, double *change) {
    double directions[N_KEPT + 1] = {0.0}, changes[N_FOUND + 1];
    size_t k;
    for (k = 0; k < n_knowns; k++) {
        if (knowns[k] >= FIRST_MEMORY)
            return complain(instance, FAILED, "no derivative with respect to value reference %u; "
                            "expected parameters, inputs or states", knowns[k]);
        directions[knowns[k]] += direction[k];
    }
    for (k = 0; k < n_unknowns; k++)
        if (unknowns[k] >= N_VARIABLES || unknowns[k] < FIRST_STATES ||
            (unknowns[k] >= FIRST_MEMORY && unknowns[k] < N_KEPT))
            return complain(instance, FAILED, "no derivative of value reference %u; expected "
                            "outputs, states or their rates", unknowns[k]);
    SLOPES(instance->now.values, directions, changes);
    for (k = 0; k < n_unknowns; k++)
        change[k] = unknowns[k] < N_KEPT ? directions[unknowns[k]] : changes[unknowns[k] - N_KEPT];
    return OK;
}

static int keep(const Instance *instance, void **condition) {
    if (!*condition) *condition = calloc(1, sizeof(Condition));
    if (!*condition) return complain(instance, FAILED, "no memory for a state");
    memcpy(*condition, &instance->now, sizeof(Condition));
    return OK;
}

static int put_back(Instance *instance, const void *condition) {
    const int other = instance->exchange ? STEPPING : EVENT | CONTINUOUS;
    if (!condition) return complain(instance, FAILED, "no state to set");
    if (((const Condition *)condition)->mode & other)
        return complain(instance, FAILED, "a state of another kind; expected one of %s",
                        instance->exchange ? "model exchange" : "co-simulation");
    memcpy(&instance->now, condition, sizeof(Condition));
    instance->stale = 1;
    return OK;
}

static int serialize(
    const Instance *instance, const void *condition, unsigned char *bytes, size_t size) {
    Serialized all;
    if (!condition || size < sizeof(all))
        return complain(instance, FAILED, "no state, or too little room to serialize it");
    memset(&all, 0, sizeof(all));
    memcpy(all.token, TOKEN, sizeof(TOKEN));
    memcpy(&all.condition, condition, sizeof(Condition));
    memcpy(bytes, &all, sizeof(all));
    return OK;
}

static int deserialize(
    const Instance *instance, const unsigned char *bytes, size_t size, void **condition) {
    Serialized all;
    if (size == sizeof(all)) memcpy(&all, bytes, sizeof(all));
    if (size != sizeof(all) || memcmp(all.token, TOKEN, sizeof(TOKEN)) != 0)
        return complain(instance, FAILED, "%u bytes that are no state of this FMU", (unsigned)size);
    if (!*condition) *condition = calloc(1, sizeof(Condition));
    if (!*condition) return complain(instance, FAILED, "no memory for a state");
    memcpy(*condition, &all.condition, sizeof(Condition));
    return OK;
}

#endif
