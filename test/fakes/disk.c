/*
 * A disk for tests, loaded before the C library (LD_PRELOAD). It watches the files whose path begins with
 * DISK_PATH, as SQLite names them: the database and its -wal.
 *   DISK_SYNC_US  what a sync takes, instead of the real one
 *   DISK_LOG      a file that gets every write, truncation and sync, in order
 *   DISK_FULL     a file; while it exists, what would make a file longer fails with ENOSPC
 * An entry of the log: kind (w, t, s), file (d, w), 6 bytes of padding, offset, length (64 bits each), then what was written.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

/* 'd' the database, 'w' its log, 0 anything else */
static char watched(int fd) {
  const char *path = getenv("DISK_PATH");
  char link[64], found[4096];
  if (path == NULL) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, found, sizeof found - 1);
  if (length <= 0) return 0;
  found[length] = 0;
  if (strcmp(found, path) == 0) return 'd';
  size_t own = strlen(path);
  return strncmp(found, path, own) == 0 && strcmp(found + own, "-wal") == 0 ? 'w' : 0;
}

static void record(char kind, char file, uint64_t offset, const void *data, uint64_t length) {
  static int log = -2;
  if (log == -2) {
    const char *path = getenv("DISK_LOG");
    log = path == NULL ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  if (log == -1) return;
  char head[24] = {kind, file};
  memcpy(head + 8, &offset, 8);
  memcpy(head + 16, &length, 8);
  struct iovec parts[2] = {{head, sizeof head}, {(void *)data, data == NULL ? 0 : length}};
  if (writev(log, parts, 2) < 0) abort();
}

static int is_full(int fd, uint64_t end) {
  const char *flag = getenv("DISK_FULL");
  struct stat found;
  return flag != NULL && access(flag, F_OK) == 0 && fstat(fd, &found) == 0 &&
         end > (uint64_t)found.st_size;
}

static ssize_t put(const char *name, int fd, const void *data, size_t length, off64_t offset) {
  ssize_t (*next)(int, const void *, size_t, off64_t) = real(name);
  char file = watched(fd);
  if (file == 0) return next(fd, data, length, offset);
  if (is_full(fd, offset + length)) {
    errno = ENOSPC;
    return -1;
  }
  pthread_mutex_lock(&order);
  ssize_t written = next(fd, data, length, offset);
  if (written > 0) record('w', file, offset, data, written);
  pthread_mutex_unlock(&order);
  return written;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
  return put("pwrite", fd, data, length, offset);
}
ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
  return put("pwrite64", fd, data, length, offset);
}

static int cut(const char *name, int fd, off64_t length) {
  int (*next)(int, off64_t) = real(name);
  char file = watched(fd);
  if (file == 0) return next(fd, length);
  pthread_mutex_lock(&order);
  int failed = next(fd, length);
  if (!failed) record('t', file, length, NULL, 0);
  pthread_mutex_unlock(&order);
  return failed;
}

int ftruncate(int fd, off_t length) { return cut("ftruncate", fd, length); }
int ftruncate64(int fd, off64_t length) { return cut("ftruncate64", fd, length); }

static int sync_with(const char *name, int fd) {
  int (*next)(int) = real(name);
  char file = watched(fd);
  if (file == 0) return next(fd);
  const char *us = getenv("DISK_SYNC_US");
  int failed = 0;
  if (us == NULL && getenv("DISK_LOG") == NULL) failed = next(fd);
  if (us != NULL) {
    struct timespec pause = {atol(us) / 1000000, (atol(us) % 1000000) * 1000};
    nanosleep(&pause, NULL);
  }
  pthread_mutex_lock(&order);
  if (!failed) record('s', file, 0, NULL, 0);
  pthread_mutex_unlock(&order);
  return failed;
}

int fsync(int fd) { return sync_with("fsync", fd); }
int fdatasync(int fd) { return sync_with("fdatasync", fd); }
