/* FMI 3.0: its functions, for model exchange and co-simulation. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*Logger)(void *, int, const char *, const char *);
typedef void (*IntermediateUpdate)(
    void *, double, bool, bool, bool, bool, bool, bool *, double *);

#include "instance.h"

#ifdef FMI3_FUNCTION_PREFIX
#define FMI(name) JOINED(FMI3_FUNCTION_PREFIX, fmi3##name)
#else
#define FMI(name) fmi3##name
#endif
#define OF_STATE(verb, what) FMI(verb##FMUState##what)

#include "alike.h"

static void tell(const Instance *instance, int status, const char *message) {
    if (instance->logger)
        instance->logger(instance->environment, status, CATEGORIES[status], message);
}

EXPORT const char *FMI(GetVersion)(void) {
    return "3.0";
}

STATUS FMI(SetDebugLogging)(Instance *instance, bool on, size_t count, const char *const *names) {
    (void)instance, (void)on, (void)count, (void)names;
    return OK;
}

EXPORT Instance *FMI(InstantiateModelExchange)(
    const char *name, const char *token, const char *resources, bool visible, bool logging,
    void *environment, Logger logger) {
    (void)resources, (void)visible, (void)logging;
    return new_instance(name, token, 1, environment, logger);
}

EXPORT Instance *FMI(InstantiateCoSimulation)(
    const char *name, const char *token, const char *resources, bool visible, bool logging,
    bool event_mode, bool early_return, const unsigned *required, size_t n_required,
    void *environment, Logger logger, IntermediateUpdate intermediate) {
    (void)resources, (void)visible, (void)logging, (void)event_mode, (void)early_return;
    (void)required, (void)n_required, (void)intermediate;
    return new_instance(name, token, 0, environment, logger);
}

EXPORT Instance *FMI(InstantiateScheduledExecution)(
    const char *name, const char *token, const char *resources, bool visible, bool logging,
    void *environment, Logger logger, void (*clock)(void *), void (*lock)(void),
    void (*unlock)(void)) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging;
    (void)environment, (void)logger, (void)clock, (void)lock, (void)unlock;
    return NULL;
}

STATUS FMI(EnterInitializationMode)(
    Instance *instance, bool has_tolerance, double tolerance, double start, bool has_stop,
    double stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    return begin(instance, start);
}

STATUS FMI(GetFloat64)(
    Instance *instance, const unsigned *references, size_t count, double *values, size_t n) {
    if (check_count(instance, "values", n, count) != OK) return FAILED;
    return get_values(instance, references, count, values);
}

STATUS FMI(SetFloat64)(
    Instance *instance, const unsigned *references, size_t count, const double *values, size_t n) {
    if (check_count(instance, "values", n, count) != OK) return FAILED;
    return set_values(instance, references, count, values);
}

/* All variables are Float64: of other kinds there are none to get or to set. */
#define NO_VARIABLES(Type, type)                                                           \
    STATUS FMI(Get##Type)(Instance * i, const unsigned *r, size_t n, type *v, size_t m) {   \
        (void)r, (void)v, (void)m;                                                          \
        return check_count(i, "variables of type " #Type, n, 0);                            \
    }                                                                                       \
    STATUS FMI(Set##Type)(Instance * i, const unsigned *r, size_t n, const type *v, size_t m) { \
        (void)r, (void)v, (void)m;                                                          \
        return check_count(i, "variables of type " #Type, n, 0);                            \
    }
NO_VARIABLES(Float32, float)
NO_VARIABLES(Int8, int8_t)
NO_VARIABLES(UInt8, uint8_t)
NO_VARIABLES(Int16, int16_t)
NO_VARIABLES(UInt16, uint16_t)
NO_VARIABLES(Int32, int32_t)
NO_VARIABLES(UInt32, uint32_t)
NO_VARIABLES(Int64, int64_t)
NO_VARIABLES(UInt64, uint64_t)
NO_VARIABLES(Boolean, bool)
NO_VARIABLES(String, char *)

STATUS FMI(GetBinary)(
    Instance *instance, const unsigned *references, size_t count, size_t *sizes,
    const uint8_t **values, size_t n) {
    (void)references, (void)sizes, (void)values, (void)n;
    return check_count(instance, "variables of type Binary", count, 0);
}

STATUS FMI(SetBinary)(
    Instance *instance, const unsigned *references, size_t count, const size_t *sizes,
    const uint8_t *const *values, size_t n) {
    (void)references, (void)sizes, (void)values, (void)n;
    return check_count(instance, "variables of type Binary", count, 0);
}

STATUS FMI(GetClock)(Instance *instance, const unsigned *references, size_t count, bool *values) {
    (void)references, (void)values;
    return check_count(instance, "clocks", count, 0);
}

STATUS FMI(SetClock)(
    Instance *instance, const unsigned *references, size_t count, const bool *values) {
    (void)references, (void)values;
    return check_count(instance, "clocks", count, 0);
}

STATUS FMI(GetNumberOfVariableDependencies)(Instance *instance, unsigned reference, size_t *count) {
    (void)reference, (void)count;
    return complain(instance, FAILED, "dependencies of elements are in the model's description");
}

STATUS FMI(GetVariableDependencies)(
    Instance *instance, unsigned dependent, size_t *elements, unsigned *independents,
    size_t *of_independents, int *kinds, size_t count) {
    (void)dependent, (void)elements, (void)independents, (void)of_independents;
    (void)kinds, (void)count;
    return complain(instance, FAILED, "dependencies of elements are in the model's description");
}

STATUS FMI(DeserializeFMUState)(
    Instance *instance, const uint8_t *bytes, size_t size, void **state) {
    return deserialize(instance, bytes, size, state);
}

STATUS FMI(GetDirectionalDerivative)(
    Instance *instance, const unsigned *unknowns, size_t n_unknowns, const unsigned *knowns,
    size_t n_knowns, const double *seed, size_t n_seed, double *sensitivity,
    size_t n_sensitivity) {
    if (check_count(instance, "seeds", n_seed, n_knowns) != OK ||
        check_count(instance, "sensitivities", n_sensitivity, n_unknowns) != OK)
        return FAILED;
    return get_slopes(instance, unknowns, n_unknowns, knowns, n_knowns, seed, sensitivity);
}

STATUS FMI(GetAdjointDerivative)(
    Instance *instance, const unsigned *unknowns, size_t n_unknowns, const unsigned *knowns,
    size_t n_knowns, const double *seed, size_t n_seed, double *sensitivity,
    size_t n_sensitivity) {
    (void)unknowns, (void)n_unknowns, (void)knowns, (void)n_knowns, (void)seed, (void)n_seed;
    (void)sensitivity, (void)n_sensitivity;
    return complain(instance, FAILED, "there are no adjoint derivatives; expected directional ones");
}

STATUS FMI(EnterConfigurationMode)(Instance *instance) {
    return complain(instance, FAILED, "there is nothing to configure");
}

STATUS FMI(ExitConfigurationMode)(Instance *instance) {
    return complain(instance, FAILED, "there is nothing to configure");
}

#define NO_CLOCKS(name, ...)                                             \
    STATUS FMI(name)(Instance * instance, const unsigned *references, size_t count, __VA_ARGS__) { \
        (void)references, (void)a, (void)b;                              \
        return check_count(instance, "clocks", count, 0);                \
    }
NO_CLOCKS(GetIntervalDecimal, double *a, int *b)
NO_CLOCKS(GetShiftFraction, uint64_t *a, uint64_t *b)
NO_CLOCKS(SetIntervalFraction, const uint64_t *a, const uint64_t *b)
NO_CLOCKS(SetShiftFraction, const uint64_t *a, const uint64_t *b)

STATUS FMI(GetIntervalFraction)(
    Instance *instance, const unsigned *references, size_t count, uint64_t *counters,
    uint64_t *resolutions, int *qualifiers) {
    (void)references, (void)counters, (void)resolutions, (void)qualifiers;
    return check_count(instance, "clocks", count, 0);
}

STATUS FMI(GetShiftDecimal)(
    Instance *instance, const unsigned *references, size_t count, double *shifts) {
    (void)references, (void)shifts;
    return check_count(instance, "clocks", count, 0);
}

STATUS FMI(SetIntervalDecimal)(
    Instance *instance, const unsigned *references, size_t count, const double *intervals) {
    (void)references, (void)intervals;
    return check_count(instance, "clocks", count, 0);
}

STATUS FMI(SetShiftDecimal)(
    Instance *instance, const unsigned *references, size_t count, const double *shifts) {
    (void)references, (void)shifts;
    return check_count(instance, "clocks", count, 0);
}

STATUS FMI(EvaluateDiscreteStates)(Instance *instance) {
    return expect(instance, INITIALIZING | EVENT, "an evaluation of discrete states");
}

STATUS FMI(UpdateDiscreteStates)(
    Instance *instance, bool *again, bool *over, bool *nominals, bool *states, bool *has_next,
    double *next) {
    int defined = 0;
    const int status = update(instance, next, &defined);
    *again = *nominals = *states = false;
    *over = instance->now.over;
    *has_next = defined;
    return status;
}

STATUS FMI(CompletedIntegratorStep)(Instance *instance, bool kept, bool *event, bool *over) {
    (void)kept;
    *event = *over = false;
    return expect(instance, CONTINUOUS, "the end of a step");
}

STATUS FMI(GetContinuousStateDerivatives)(Instance *instance, double *rates, size_t count) {
    return get_rates(instance, rates, count);
}

STATUS FMI(GetNumberOfEventIndicators)(Instance *instance, size_t *count) {
    (void)instance;
    *count = N_INDICATORS;
    return OK;
}

STATUS FMI(GetNumberOfContinuousStates)(Instance *instance, size_t *count) {
    (void)instance;
    *count = N_STATES;
    return OK;
}

STATUS FMI(EnterStepMode)(Instance *instance) {
    return expect(instance, STEPPING, "step mode");
}

STATUS FMI(GetOutputDerivatives)(
    Instance *instance, const unsigned *references, size_t count, const int32_t *orders,
    double *values, size_t n) {
    (void)references, (void)orders, (void)values, (void)n;
    return check_count(instance, "derivatives of outputs", count, 0);
}

STATUS FMI(DoStep)(
    Instance *instance, double from, double size, bool kept, bool *event, bool *over,
    bool *early, double *reached) {
    const int status = advance(instance, from, size);
    (void)kept;
    *event = false;
    *over = *early = instance->now.over;
    *reached = instance->now.values[0];
    return status;
}

STATUS FMI(ActivateModelPartition)(Instance *instance, unsigned clock, double time) {
    (void)clock, (void)time;
    return complain(instance, FAILED, "there are no clocks");
}
