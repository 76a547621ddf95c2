/* Loaded by LD_PRELOAD: a clock that is ahead or behind, and a disk whose syncs take their time.
   FAULTS_STATE names a file of two 64 bit numbers: seconds that the clock is ahead, microseconds that a sync takes longer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t nothing[2];
static const volatile int64_t *state = nothing;

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("FAULTS_STATE");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *found = mmap(NULL, 16, PROT_READ, MAP_SHARED, file, 0);
    if (found != MAP_FAILED) state = found;
    close(file);
}

int clock_gettime(clockid_t id, struct timespec *found) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(id, found);
    if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) found->tv_sec += state[0];
    return result;
}

int gettimeofday(struct timeval *found, void *zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    found->tv_sec = now.tv_sec;
    found->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *found) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    if (found) *found = now.tv_sec;
    return now.tv_sec;
}

static void wait_for_the_disk(void) {
    if (state[1] > 0) usleep((useconds_t)state[1]);
}

int fsync(int file) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fsync");
    wait_for_the_disk();
    return real(file);
}

int fdatasync(int file) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
    wait_for_the_disk();
    return real(file);
}
