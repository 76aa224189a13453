/* Launches kernels that tilec compiled: PTX with a manifest in its first lines.
 *
 * Functions return 0, or -1 and leave a text for tile_last_error. Handles that are written are not NULL. All functions may be
 * called from any thread; a handle is used by one thread at a time, but for tile_launch, which several may call.
 * Link with -ltile. On a GPU NVIDIA's driver is needed, on the simulator nothing.
 */
#ifndef TILE_H
#define TILE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. A library of another one is not to be used: compare it with tile_abi_version(). */
#define TILE_ABI_VERSION 1

uint32_t tile_abi_version(void);

/* What went wrong in the last call of this thread that returned -1: a text that lives until its next call. What the
 * simulator finds in a kernel has the line of its source. */
const char *tile_last_error(void);

/* Element types, as in the language. */
typedef enum {
    TILE_I1 = 0,
    TILE_I8 = 1,
    TILE_I16 = 2,
    TILE_I32 = 3,
    TILE_I64 = 4,
    TILE_U8 = 5,
    TILE_U16 = 6,
    TILE_U32 = 7,
    TILE_U64 = 8,
    TILE_F16 = 9,
    TILE_BF16 = 10,
    TILE_F32 = 11,
    TILE_F64 = 12,
    TILE_F8E4M3 = 13,
    TILE_F8E5M2 = 14
} tile_element;

/* What a parameter or an argument is. */
typedef enum {
    TILE_SCALAR = 0,
    TILE_POINTER = 1, /* an argument for it is a tensor, of any rank */
    TILE_TENSOR = 2
} tile_kind;

/* A GPU, or a simulated one with all its checks. */
typedef struct tile_device tile_device;

/* "cuda:0", "sim", or "auto": what the environment variable TILE_DEVICE names, else the first GPU, else the simulator. */
int tile_device_open(const char *name, tile_device **device);
void tile_device_close(tile_device *device);
/* Waits for all work. A kernel that went out of bounds is an error here. */
int tile_device_synchronize(tile_device *device);

/* Memory of the device, for programs that have none of their own: on a GPU any device memory of the primary context will do.
 * Zeros at first. Addresses are the device's. */
int tile_allocate(tile_device *device, size_t bytes, uint64_t *address);
int tile_free(tile_device *device, uint64_t address);
/* Copies between the host and the first bytes of what tile_allocate gave, after all work of the device. */
int tile_copy_in(tile_device *device, uint64_t address, const void *bytes, size_t count);
int tile_copy_out(tile_device *device, uint64_t address, void *bytes, size_t count);

/* A kernel of a loaded file. It keeps what it needs: the text may go, and so may the device's handle. */
typedef struct tile_kernel tile_kernel;

/* ptx is a text with a 0 behind it; name may be NULL if the file has one kernel. */
int tile_kernel_load(tile_device *device, const char *ptx, const char *name, tile_kernel **kernel);
void tile_kernel_free(tile_kernel *kernel);

typedef struct {
    const char *name; /* as long as the kernel lives */
    tile_kind kind;
    tile_element element;
    uint32_t rank; /* of a tensor, else 0 */
    int is_mutable; /* whether the kernel may write there */
} tile_parameter;

size_t tile_kernel_parameter_count(const tile_kernel *kernel);
int tile_kernel_parameter(const tile_kernel *kernel, size_t index, tile_parameter *parameter);

/* An argument: a number, or a tensor. Sizes and strides are in elements; strides may be NULL for rows without gaps. */
typedef struct {
    tile_kind kind; /* TILE_SCALAR or TILE_TENSOR */
    tile_element element;
    int64_t integer; /* the value of an integer or i1 */
    double real; /* the value of a float */
    uint64_t address; /* of the first element */
    uint32_t rank;
    const int64_t *shape;
    const int64_t *strides;
} tile_argument;

/* Checks the arguments, which are in the order of the parameters, and starts the kernel. stream is a CUstream of the device's
 * primary context, as a number, or 0 for a stream of its own, which tile_device_synchronize waits for. A launch like an
 * earlier one is not checked again. The memory is to live until the kernel has run. */
int tile_launch(tile_kernel *kernel, uint64_t stream, const tile_argument *arguments, size_t count);

#ifdef __cplusplus
}
#endif

#endif
