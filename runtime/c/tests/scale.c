/* Scales a matrix on the simulator or a GPU: scale DEVICE FILE.ptx */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tile.h"

static void stop(const char *where) {
    printf("%s: %s\n", where, tile_last_error());
    exit(1);
}

static char *contents(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) exit(2);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc(1, (size_t)size + 1);
    if (fread(text, 1, (size_t)size, file) != (size_t)size) exit(2);
    fclose(file);
    return text;
}

int main(int count, char **words) {
    if (count != 3 || tile_abi_version() != TILE_ABI_VERSION) return 2;
    tile_device *device;
    if (tile_device_open(words[1], &device)) stop("open");
    char *ptx = contents(words[2]);
    tile_kernel *kernel;
    if (tile_kernel_load(device, ptx, "scale", &kernel)) stop("load");
    free(ptx);

    for (size_t i = 0; i < tile_kernel_parameter_count(kernel); i++) {
        tile_parameter of;
        if (tile_kernel_parameter(kernel, i, &of)) stop("parameter");
        printf("%s kind %d element %d rank %u mutable %d\n", of.name, of.kind, of.element, of.rank, of.is_mutable);
    }

    float host[6] = {1, -2, 3, 0.5f, 0.25f, -4};
    float largest[2];
    uint64_t x, y, most;
    if (tile_allocate(device, sizeof host, &x) || tile_allocate(device, sizeof host, &y)) stop("allocate");
    if (tile_allocate(device, sizeof largest, &most)) stop("allocate");
    if (tile_copy_in(device, x, host, sizeof host)) stop("copy in");
    int64_t matrix[2] = {2, 3}, vector[1] = {2}, wrong[2] = {2, 4};
    tile_argument arguments[4] = {
        {.kind = TILE_TENSOR, .element = TILE_F32, .address = x, .rank = 2, .shape = matrix},
        {.kind = TILE_SCALAR, .element = TILE_F32, .real = 2.0},
        {.kind = TILE_TENSOR, .element = TILE_F32, .address = y, .rank = 2, .shape = matrix},
        {.kind = TILE_TENSOR, .element = TILE_F32, .address = most, .rank = 1, .shape = vector},
    };
    for (int launch = 0; launch < 3; launch++) {
        if (tile_launch(kernel, 0, arguments, 4)) stop("launch");
    }
    if (tile_device_synchronize(device)) stop("synchronize");
    if (tile_copy_out(device, y, host, sizeof host)) stop("copy out");
    if (tile_copy_out(device, most, largest, sizeof largest)) stop("copy out");
    for (int i = 0; i < 6; i++) printf("%g ", host[i]);
    printf("| %g %g\n", largest[0], largest[1]);

    /* What is wrong is said, and nothing is lost. */
    arguments[2].shape = wrong;
    if (tile_launch(kernel, 0, arguments, 4) == 0) return 3;
    printf("refused: %s\n", tile_last_error());
    if (tile_launch(kernel, 0, arguments, 3) == 0) return 3;
    printf("refused: %s\n", tile_last_error());
    arguments[2].element = 99;
    if (tile_launch(kernel, 0, arguments, 4) == 0) return 3;
    printf("refused: %s\n", tile_last_error());
    if (tile_launch(NULL, 0, arguments, 4) == 0) return 3;
    printf("refused: %s\n", tile_last_error());
    if (tile_copy_out(device, y, host, 25) == 0) return 3;
    printf("refused: %s\n", tile_last_error());
    if (tile_free(device, x) || tile_free(device, x) == 0) return 3;
    printf("refused: freed twice\n");
    tile_kernel_free(kernel);
    tile_device_close(device);
    return 0;
}
