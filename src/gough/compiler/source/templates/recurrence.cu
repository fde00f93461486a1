{% macro arrays(kind, named) %}
{% for name in named %},
    {{ kind }} *__restrict__ {{ name }},
    const long long {{ name }}_sample,
    const long long {{ name }}_sequence,
    const long long {{ name }}_element
{%- endfor %}
{% endmacro %}
{{ banner }}
{% include "constants.cu" %}

/* Places in memory are computed at each sample: before the loop all of them would fill registers. */
#ifdef __CUDACC__
#define AT_EACH_SAMPLE(x) asm volatile("" : "+l"(x))
/* Threads of a block begin each sample together: code comes to a multiprocessor once for all. */
#define TOGETHER __syncthreads()
/* Numbers that are not read again leave the cache to others. */
#define WRITE(place, x) __stcs(&(place), x)
#else
#define AT_EACH_SAMPLE(x) (void)(x)
#define TOGETHER
#define WRITE(place, x) (place) = (x)
#endif

{% if random %}
{% set real, f = language.real, language.suffix %}
/* Philox 4x64-10 (Salmon, Moraes, Dror, Shaw: SC11, 2011): a block of four random numbers for a
   counter, and the normal numbers of Box and Muller from it. */
static __device__ void {{ function_name }}_normals(
    const unsigned long long *seed,
    const unsigned long long counter,
    const unsigned long long sequence,
    {{ real }} *out)
{
    unsigned long long x[4] = {counter, sequence, 0, 0}, key[2] = {seed[0], seed[1]};
    int k;
    for (k = 0; k < 10; k++) {
        const unsigned long long a = 0xD2E7470EE14C6C93ull, b = 0xCA5A826395121157ull;
        const unsigned long long low_0 = a * x[0], high_0 = __umul64hi(a, x[0]);
        const unsigned long long low_1 = b * x[2], high_1 = __umul64hi(b, x[2]);
        x[0] = high_1 ^ x[1] ^ key[0];
        x[1] = low_1;
        x[2] = high_0 ^ x[3] ^ key[1];
        x[3] = low_0;
        key[0] += 0x9E3779B97F4A7C15ull;
        key[1] += 0xBB67AE8584CAA73Bull;
    }
    for (k = 0; k < 4; k += 2) {
        const {{ real }} unit = ({{ real }})(1.0 / 9007199254740992.0);
        const {{ real }} radius = sqrt{{ f }}(-2 * log{{ f }}(({{ real }})((x[k] >> 11) + 1) * unit));
        const {{ real }} angle = ({{ real }})6.283185307179586 * ({{ real }})(x[k + 1] >> 11) * unit;
        out[k] = radius * cos{{ f }}(angle);
        out[k + 1] = radius * sin{{ f }}(angle);
    }
}

{% endif %}
{% for function in functions %}
{{ function }}
{% endfor %}
/* A thread for each sequence; those beyond the last one do the same as it does. One of `every` samples is written, counted from `first`. */
extern "C" __global__ void {{ function_name }}(
    const long long sequences,
    const long long samples,
    const long long first,
    const long long every
{%- if random %},
    const unsigned long long *__restrict__ seed
{%- endif %}
{{- arrays("const " ~ language.real, inputs) }}
{{- arrays(language.real, written + last) }})
{
    const long long number = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long i = number < sequences ? number : sequences - 1;
{% for name, size in carried %}
{% if name in beside %}
    __shared__ {{ language.real }} {{ name }}_block[{{ block }}][{{ size }}];
    {{ language.real }} *const {{ name }}_now = {{ name }}_block[threadIdx.x];
{% else %}
    {{ language.real }} {{ name }}_now[{{ size }}];
{% endif %}
{% endfor %}
{% for name, size in carried %}
    #pragma unroll
    for (int e = 0; e < {{ size }}; e++)
        {{ name }}_now[e] = {{ name }}[i * {{ name }}_sequence + e * {{ name }}_element];
{% endfor %}
{% if shared %}
#ifdef __CUDACC__
    extern __shared__ {{ language.real }} rows_block[];
    {{ language.real }} *const scratch = rows_block + threadIdx.x * {{ shared }};
#else
    {{ language.real }} scratch[{{ shared }}];
#endif
{% elif language.room %}
    {{ language.real }} scratch[{{ language.room }}];
{% endif %}
    long long until = (every - first % every) % every, place = 0;
    for (long long k = 0; k < samples; k++) {
        TOGETHER;
{% for name, size in random %}
        {{ language.real }} {{ name }}_drawn[{{ (size + 3) // 4 * 4 }}];
        const unsigned long long {{ name }}_counter = (first + k) * {{ (size + 3) // 4 }} + 1;
        #pragma unroll
        for (int b = 0; b < {{ (size + 3) // 4 }}; b++)
            {{ function_name }}_normals(seed, {{ name }}_counter + b, i, {{ name }}_drawn + 4 * b);
{% endfor %}
        const bool kept = until == 0;
        long long thread = i;
        AT_EACH_SAMPLE(thread);
{% for name in read %}
        const {{ language.real }} *{{ name }}_row = {{ name }} + k * {{ name }}_sample + thread * {{ name }}_sequence;
        long long {{ name }}_step = {{ name }}_element;
        AT_EACH_SAMPLE({{ name }}_step);
{% endfor %}
{% for name in written %}
        {{ language.real }} *{{ name }}_row = {{ name }} + place * {{ name }}_sample + thread * {{ name }}_sequence;
        long long {{ name }}_step = {{ name }}_element;
        AT_EACH_SAMPLE({{ name }}_step);
{% endfor %}
{{ lines | join("\n") | indent(8, true) }}
        place += kept;
        until = kept ? every - 1 : until - 1;
    }
{% for name, size in carried %}
    #pragma unroll
    for (int e = 0; e < {{ size }}; e++)
        {{ name }}_last[i * {{ name }}_last_sequence + e * {{ name }}_last_element] = {{ name }}_now[e];
{% endfor %}
}
