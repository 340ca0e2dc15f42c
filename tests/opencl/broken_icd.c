/* An OpenCL implementation with one device whose compiler always fails: what PoCL's wheel is on a new processor.
 * Only the calls up to clBuildProgram exist. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;

static void *table[256];
struct object { void **dispatch; };
static struct object platform = {table}, device = {table}, context = {table}, queue = {table}, program = {table};
static struct object buffer = {table}, event = {table};

static cl_int text(const char *value, size_t size, void *out, size_t *needed) {
    size_t length = strlen(value) + 1;
    if (needed) *needed = length;
    if (out) { if (size < length) return -30; memcpy(out, value, length); }
    return 0;
}

static cl_int bytes(const void *value, size_t length, size_t size, void *out, size_t *needed) {
    if (needed) *needed = length;
    if (out) { if (size < length) return -30; memcpy(out, value, length); }
    return 0;
}

static cl_int platform_ids(cl_uint n, void **out, cl_uint *count) {
    if (count) *count = 1;
    if (out && n) out[0] = &platform;
    return 0;
}

static cl_int platform_info(void *p, cl_uint what, size_t size, void *out, size_t *needed) {
    switch (what) {
    case 0x0900: return text("FULL_PROFILE", size, out, needed);
    case 0x0901: return text("OpenCL 1.2 broken", size, out, needed);
    case 0x0902: return text("Broken platform", size, out, needed);
    case 0x0903: return text("Nobody", size, out, needed);
    case 0x0904: return text("cl_khr_icd", size, out, needed);
    case 0x0920: return text("BROKEN", size, out, needed);
    }
    return -30;
}

static cl_int device_ids(void *p, cl_ulong type, cl_uint n, void **out, cl_uint *count) {
    if (count) *count = 1;
    if (out && n) out[0] = &device;
    return 0;
}

static cl_int device_info(void *d, cl_uint what, size_t size, void *out, size_t *needed) {
    cl_ulong type = 2, wide = 1 << 30, config = 7;
    size_t sizes[3] = {64, 64, 64};
    cl_uint one = 1;
    switch (what) {
    case 0x1000: return bytes(&type, 8, size, out, needed);
    case 0x1005: return bytes(sizes, sizeof sizes, size, out, needed);
    case 0x1004: return bytes(&sizes[0], sizeof(size_t), size, out, needed);
    case 0x1017: return bytes(&sizes[0], sizeof(size_t), size, out, needed); /* max parameter size */
    case 0x1010: case 0x101F: case 0x1023: return bytes(&wide, 8, size, out, needed);
    case 0x101B: return bytes(&config, 8, size, out, needed);
    case 0x102B: return text("Broken device", size, out, needed);
    case 0x102C: return text("Nobody", size, out, needed);
    case 0x102D: return text("0.1", size, out, needed);
    case 0x102F: return text("OpenCL 1.2 broken", size, out, needed);
    case 0x1030: return text("", size, out, needed);
    case 0x1031: { void *own = &platform; return bytes(&own, sizeof own, size, out, needed); }
    }
    return bytes(&one, 4, size, out, needed);
}

static void *make_context(void *a, cl_uint b, void *c, void *d, void *e, cl_int *status) {
    if (status) *status = 0;
    return &context;
}
static void *make_queue(void *a, void *b, cl_ulong c, cl_int *status) { if (status) *status = 0; return &queue; }
static void *make_buffer(void *a, cl_ulong b, size_t c, void *d, cl_int *status) {
    if (status) *status = -4; /* no memory is shared */
    return NULL;
}
static void *make_program(void *a, cl_uint b, const char **c, const size_t *d, cl_int *status) {
    if (status) *status = 0;
    return &program;
}
static cl_int context_info(void *c, cl_uint what, size_t size, void *out, size_t *needed) {
    void *own = &device;
    return bytes(&own, sizeof own, size, out, needed);
}
static cl_int build(void *a, cl_uint b, void *c, const char *d, void *e, void *f) { return -11; }
static cl_int build_info(void *p, void *d, cl_uint what, size_t size, void *out, size_t *needed) {
    if (what == 0x1183) return text("error: unknown target CPU 'generic'", size, out, needed);
    cl_int status = -2;
    return bytes(&status, 4, size, out, needed);
}
static cl_int program_info(void *p, cl_uint what, size_t size, void *out, size_t *needed) {
    void *own = &device;
    return bytes(&own, sizeof own, size, out, needed);
}
static cl_int fine(void) { return 0; }

void *clGetExtensionFunctionAddress(const char *name) {
    return strcmp(name, "clIcdGetPlatformIDsKHR") ? NULL : (void *)platform_ids;
}
cl_int clGetPlatformInfo(void *p, cl_uint what, size_t size, void *out, size_t *needed) {
    return platform_info(p, what, size, out, needed);
}

__attribute__((constructor)) static void fill(void) {
    for (int k = 0; k < 256; k++) table[k] = (void *)fine;
    table[0] = platform_ids;
    table[1] = platform_info;
    table[2] = device_ids;
    table[3] = device_info;
    table[4] = make_context;
    table[8] = context_info;
    table[9] = make_queue;
    table[14] = make_buffer;
    table[26] = make_program;
    table[30] = build;
    table[32] = program_info;
    table[33] = build_info;
}
