/* FMI 2.0: its functions, for model exchange and co-simulation. */
#include <stddef.h>

typedef void (*Logger)(void *, const char *, int, const char *, const char *, ...);

#include "instance.h"

#ifdef FMI2_FUNCTION_PREFIX
#define FMI(name) JOINED(FMI2_FUNCTION_PREFIX, fmi2##name)
#else
#define FMI(name) fmi2##name
#endif
#define OF_STATE(verb, what) FMI(verb##FMUstate##what)

#include "alike.h"

typedef struct {
    Logger logger;
    void *(*allocate)(size_t, size_t);
    void (*free)(void *);
    void (*step_finished)(void *, int);
    void *environment;
} Callbacks;

typedef struct {
    int again, over, nominals, states, has_next;
    double next;
} Events;

enum { DO_STEP, PENDING, LAST_TIME, ENDED };

static void tell(const Instance *instance, int status, const char *message) {
    if (instance->logger)
        instance->logger(instance->environment, instance->name, status, CATEGORIES[status], "%s",
                         message);
}

EXPORT const char *FMI(GetTypesPlatform)(void) {
    return "default";
}

EXPORT const char *FMI(GetVersion)(void) {
    return "2.0";
}

STATUS FMI(SetDebugLogging)(Instance *instance, int on, size_t count, const char *const *names) {
    (void)instance, (void)on, (void)count, (void)names;
    return OK;
}

EXPORT Instance *FMI(Instantiate)(
    const char *name, int type, const char *token, const char *resources,
    const Callbacks *callbacks, int visible, int logging) {
    (void)resources, (void)visible, (void)logging;
    return new_instance(name, token, type == 0, callbacks ? callbacks->environment : NULL,
                        callbacks ? callbacks->logger : NULL);
}

STATUS FMI(SetupExperiment)(
    Instance *instance, int has_tolerance, double tolerance, double start, int has_stop,
    double stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    if (expect(instance, INSTANTIATED, "setting up an experiment") != OK) return FAILED;
    if (!isfinite(start)) return complain(instance, FAILED, "start time is %g s", start);
    instance->now.values[0] = start;
    return OK;
}

STATUS FMI(EnterInitializationMode)(Instance *instance) {
    return begin(instance, instance->now.values[0]);
}

STATUS FMI(GetReal)(Instance *instance, const unsigned *references, size_t count, double *values) {
    return get_values(instance, references, count, values);
}

STATUS FMI(SetReal)(
    Instance *instance, const unsigned *references, size_t count, const double *values) {
    return set_values(instance, references, count, values);
}

/* All variables are Real: of other kinds there are none to get or to set. */
#define NO_VARIABLES(Type, type)                                                         \
    STATUS FMI(Get##Type)(Instance * i, const unsigned *r, size_t n, type *v) {           \
        (void)r, (void)v;                                                                 \
        return check_count(i, "variables of type " #Type, n, 0);                          \
    }                                                                                     \
    STATUS FMI(Set##Type)(Instance * i, const unsigned *r, size_t n, const type *v) {     \
        (void)r, (void)v;                                                                 \
        return check_count(i, "variables of type " #Type, n, 0);                          \
    }
NO_VARIABLES(Integer, int)
NO_VARIABLES(Boolean, int)
NO_VARIABLES(String, char *)

STATUS FMI(DeSerializeFMUstate)(
    Instance *instance, const char *bytes, size_t size, void **state) {
    return deserialize(instance, (const unsigned char *)bytes, size, state);
}

STATUS FMI(GetDirectionalDerivative)(
    Instance *instance, const unsigned *unknowns, size_t n_unknowns, const unsigned *knowns,
    size_t n_knowns, const double *direction, double *change) {
    return get_slopes(instance, unknowns, n_unknowns, knowns, n_knowns, direction, change);
}

STATUS FMI(NewDiscreteStates)(Instance *instance, Events *events) {
    const int status = update(instance, &events->next, &events->has_next);
    events->again = events->nominals = events->states = 0;
    events->over = instance->now.over;
    return status;
}

STATUS FMI(CompletedIntegratorStep)(Instance *instance, int kept, int *event, int *over) {
    (void)kept;
    *event = *over = 0;
    return expect(instance, CONTINUOUS, "the end of a step");
}

STATUS FMI(GetDerivatives)(Instance *instance, double *rates, size_t count) {
    return get_rates(instance, rates, count);
}

STATUS FMI(SetRealInputDerivatives)(
    Instance *instance, const unsigned *references, size_t count, const int *orders,
    const double *values) {
    (void)references, (void)orders, (void)values;
    return check_count(instance, "derivatives of inputs", count, 0);
}

STATUS FMI(GetRealOutputDerivatives)(
    Instance *instance, const unsigned *references, size_t count, const int *orders,
    double *values) {
    (void)references, (void)orders, (void)values;
    return check_count(instance, "derivatives of outputs", count, 0);
}

/* A run that the model has ended is a step that is not done in full. */
STATUS FMI(DoStep)(Instance *instance, double from, double size, int kept) {
    const int status = advance(instance, from, size);
    (void)kept;
    return status == OK && instance->now.over ? DISCARD : status;
}

STATUS FMI(CancelStep)(Instance *instance) {
    return complain(instance, FAILED, "no step is under way: steps are done when they return");
}

STATUS FMI(GetStatus)(Instance *instance, int kind, int *value) {
    (void)kind, (void)value;
    return complain(instance, DISCARD, "no step is under way: steps are done when they return");
}

STATUS FMI(GetRealStatus)(Instance *instance, int kind, double *value) {
    if (kind != LAST_TIME) return complain(instance, DISCARD, "no such number of a step");
    *value = instance->now.values[0];
    return OK;
}

STATUS FMI(GetIntegerStatus)(Instance *instance, int kind, int *value) {
    (void)kind, (void)value;
    return complain(instance, DISCARD, "no such number of a step");
}

STATUS FMI(GetBooleanStatus)(Instance *instance, int kind, int *value) {
    if (kind != ENDED) return complain(instance, DISCARD, "no such fact of a step");
    *value = instance->now.over;
    return OK;
}

STATUS FMI(GetStringStatus)(Instance *instance, int kind, const char **value) {
    (void)kind, (void)value;
    return complain(instance, DISCARD, "no step is under way: steps are done when they return");
}
