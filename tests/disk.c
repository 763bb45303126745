/* A disk that can be cut off or full: LD_PRELOAD it. Concerns files under $DISK_ROOT only.
 *
 * Appends every change to $DISK_LOG, as a line "operation path offset length other-path" (fields between tabs) and the bytes
 * that were written. After disk_arm(n) the n-th write and all later ones fail with ENOSPC, as on a full disk; disk_written()
 * tells how many there were since. Nothing is synced in truth: what a cut would leave is computed from the log. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static long left = -1; /* writes until the disk is full; -1: never */
static long written = 0;

void disk_arm(long n) { left = n, written = 0; }
long disk_written(void) { return written; }

static int full(void) {
    written++;
    if (left < 0) return 0;
    if (left > 0) left--;
    if (left > 0) return 0;
    errno = ENOSPC;
    return 1;
}

static int ours(const char *path) {
    const char *root = getenv("DISK_ROOT");
    return root && !strncmp(path, root, strlen(root));
}

static int name_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, PATH_MAX - 1);
    if (n < 0) return 0;
    path[n] = 0;
    return ours(path);
}

static void note(const char *what, const char *path, long offset, const void *bytes, size_t n, const char *other) {
    static int log = -1;
    char head[2 * PATH_MAX + 64];
    const char *name = getenv("DISK_LOG");
    if (!name) return;
    if (log < 0) log = REAL(open64)(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int m = snprintf(head, sizeof head, "%s\t%s\t%ld\t%zu\t%s\n", what, path, offset, n, other);
    char *all = malloc(m + n); /* one write, so that threads do not mix */
    memcpy(all, head, m);
    if (n) memcpy(all + m, bytes, n);
    if (REAL(write)(log, all, m + n) < 0) abort();
    free(all);
}

ssize_t write(int fd, const void *bytes, size_t n) {
    char path[PATH_MAX];
    int mine = name_of(fd, path);
    if (mine && full()) return -1;
    ssize_t done = REAL(write)(fd, bytes, n);
    if (mine && done > 0) note("write", path, lseek(fd, 0, SEEK_CUR) - done, bytes, done, "");
    return done;
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at) {
    char path[PATH_MAX];
    int mine = name_of(fd, path);
    if (mine && full()) return -1;
    ssize_t done = REAL(pwrite64)(fd, bytes, n, at);
    if (mine && done > 0) note("write", path, at, bytes, done, "");
    return done;
}
ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at) { return pwrite64(fd, bytes, n, at); }

int ftruncate64(int fd, off64_t n) {
    char path[PATH_MAX];
    int done = REAL(ftruncate64)(fd, n);
    if (!done && name_of(fd, path)) note("truncate", path, n, 0, 0, "");
    return done;
}
int ftruncate(int fd, off_t n) { return ftruncate64(fd, n); }

int fsync(int fd) {
    char path[PATH_MAX];
    if (name_of(fd, path)) note("sync", path, 0, 0, 0, "");
    return 0;
}
int fdatasync(int fd) { return fsync(fd); }

int rename(const char *from, const char *to) {
    int done = REAL(rename)(from, to);
    if (!done && ours(to)) note("rename", from, 0, 0, 0, to);
    return done;
}
int unlink(const char *path) {
    int done = REAL(unlink)(path);
    if (!done && ours(path)) note("unlink", path, 0, 0, 0, "");
    return done;
}
int mkdir(const char *path, mode_t mode) {
    int done = REAL(mkdir)(path, mode);
    if (!done && ours(path)) note("mkdir", path, 0, 0, 0, "");
    return done;
}
static void made(int fd, int flags) {
    char path[PATH_MAX];
    if (fd >= 0 && (flags & (O_CREAT | O_TRUNC)) && name_of(fd, path)) note(flags & O_TRUNC ? "create" : "open", path, 0, 0, 0, "");
}
int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int fd = REAL(open64)(path, flags, va_arg(more, mode_t));
    va_end(more);
    made(fd, flags);
    return fd;
}
int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int fd = REAL(open)(path, flags, va_arg(more, mode_t));
    va_end(more);
    made(fd, flags);
    return fd;
}
