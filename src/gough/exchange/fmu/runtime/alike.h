/* What is the same in all versions of FMI.
 *
 * They call a function by FMI(name), and one of an FMU's state by OF_STATE(verb, what).
 */
#ifndef GOUGH_ALIKE_H
#define GOUGH_ALIKE_H

#define JOIN(a, b) a##b
#define JOINED(a, b) JOIN(a, b)
#define STATUS EXPORT int

static const char *const CATEGORIES[] = {
    "logAll", "logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal"};

EXPORT void FMI(FreeInstance)(Instance *instance) {
    free_instance(instance);
}

STATUS FMI(ExitInitializationMode)(Instance *instance) {
    return begun(instance);
}

STATUS FMI(EnterEventMode)(Instance *instance) {
    if (expect(instance, CONTINUOUS | EVENT, "event mode") != OK) return FAILED;
    instance->now.mode = EVENT;
    return OK;
}

STATUS FMI(Terminate)(Instance *instance) {
    instance->now.mode = TERMINATED;
    return OK;
}

STATUS FMI(Reset)(Instance *instance) {
    restart(instance);
    return OK;
}

STATUS FMI(EnterContinuousTimeMode)(Instance *instance) {
    if (expect(instance, EVENT, "continuous-time mode") != OK) return FAILED;
    instance->now.mode = CONTINUOUS;
    return OK;
}

STATUS FMI(SetTime)(Instance *instance, double time) {
    return set_time(instance, time);
}

STATUS FMI(SetContinuousStates)(Instance *instance, const double *states, size_t count) {
    return set_states(instance, states, count);
}

STATUS FMI(GetEventIndicators)(Instance *instance, double *indicators, size_t count) {
    return get_indicators(instance, indicators, count);
}

STATUS FMI(GetContinuousStates)(Instance *instance, double *states, size_t count) {
    return get_states(instance, states, count);
}

STATUS FMI(GetNominalsOfContinuousStates)(Instance *instance, double *nominals, size_t count) {
    return get_nominals(instance, nominals, count);
}

STATUS OF_STATE(Get, )(Instance *instance, void **state) {
    return keep(instance, state);
}

STATUS OF_STATE(Set, )(Instance *instance, void *state) {
    return put_back(instance, state);
}

STATUS OF_STATE(Free, )(Instance *instance, void **state) {
    (void)instance;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return OK;
}

STATUS OF_STATE(Serialized, Size)(Instance *instance, void *state, size_t *size) {
    (void)instance, (void)state;
    *size = sizeof(Serialized);
    return OK;
}

STATUS OF_STATE(Serialize, )(Instance *instance, void *state, unsigned char *bytes, size_t size) {
    return serialize(instance, state, bytes, size);
}

#endif
