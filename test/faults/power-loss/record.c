/*
 * Preloaded into a host: records, in order, what it writes to its SQLite files, when it flushes them, and which successful
 * HTTP answers it sends. `replay.ts` reads the recording.
 *
 * A record is a line "OP PATH A B", then B bytes for W and A:
 *   W path offset length   a write        T path size 0   a truncation
 *   B path number 0        a flush begins E path number 0 that flush has ended
 *   A - 0 length           the beginning of an answer with a status of 2xx
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t recording = PTHREAD_MUTEX_INITIALIZER;
static int record_fd = -1;
static long flushes = 0;

static void put(const void *bytes, size_t length) {
  const char *at = bytes;
  while (length > 0) {
    long written = syscall(SYS_write, record_fd, at, length);
    if (written <= 0) abort();
    at += written;
    length -= (size_t)written;
  }
}

static void record(char op, const char *path, long a, size_t length, const void *bytes) {
  char line[4200];
  int size = snprintf(line, sizeof line, "%c %s %ld %zu\n", op, path, a, length);
  put(line, (size_t)size);
  if (bytes != NULL) put(bytes, length);
}

static int ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* The path of a database or its log; NULL for every other descriptor. */
static const char *database_path(int fd, char *path, size_t size) {
  if (record_fd < 0) return NULL;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, size - 1);
  if (length <= 0) return NULL;
  path[length] = '\0';
  return ends_with(path, ".db") || ends_with(path, ".db-wal") ? path : NULL;
}

static void *real(const char *name) {
  void *symbol = dlsym(RTLD_NEXT, name);
  if (symbol == NULL) abort();
  return symbol;
}

__attribute__((constructor)) static void open_recording(void) {
  const char *path = getenv("POWER_LOSS_RECORDING");
  if (path == NULL) return;
  record_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (record_fd < 0) abort();
}

typedef ssize_t (*pwrite_function)(int, const void *, size_t, off_t);

static ssize_t recorded_pwrite(const char *name, int fd, const void *bytes, size_t length, off_t offset) {
  char buffer[4096];
  const char *path = database_path(fd, buffer, sizeof buffer);
  if (path == NULL) return ((pwrite_function)real(name))(fd, bytes, length, offset);
  pthread_mutex_lock(&recording);
  ssize_t written = ((pwrite_function)real(name))(fd, bytes, length, offset);
  if (written > 0) record('W', path, (long)offset, (size_t)written, bytes);
  pthread_mutex_unlock(&recording);
  return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  return recorded_pwrite("pwrite", fd, bytes, length, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) {
  return recorded_pwrite("pwrite64", fd, bytes, length, offset);
}

typedef int (*truncate_function)(int, off_t);

static int recorded_truncate(const char *name, int fd, off_t size) {
  char buffer[4096];
  const char *path = database_path(fd, buffer, sizeof buffer);
  if (path == NULL) return ((truncate_function)real(name))(fd, size);
  pthread_mutex_lock(&recording);
  int result = ((truncate_function)real(name))(fd, size);
  if (result == 0) record('T', path, (long)size, 0, NULL);
  pthread_mutex_unlock(&recording);
  return result;
}

int ftruncate(int fd, off_t size) { return recorded_truncate("ftruncate", fd, size); }
int ftruncate64(int fd, off_t size) { return recorded_truncate("ftruncate64", fd, size); }

typedef int (*flush_function)(int);

static int recorded_flush(const char *name, int fd) {
  char buffer[4096];
  const char *path = database_path(fd, buffer, sizeof buffer);
  if (path == NULL) return ((flush_function)real(name))(fd);
  pthread_mutex_lock(&recording);
  long number = ++flushes;
  record('B', path, number, 0, NULL);
  pthread_mutex_unlock(&recording);
  int result = ((flush_function)real(name))(fd);
  pthread_mutex_lock(&recording);
  if (result == 0) record('E', path, number, 0, NULL);
  pthread_mutex_unlock(&recording);
  return result;
}

int fsync(int fd) { return recorded_flush("fsync", fd); }
int fdatasync(int fd) { return recorded_flush("fdatasync", fd); }

static void record_answer(const void *bytes, size_t length) {
  static const char success[] = "HTTP/1.1 2";
  if (record_fd < 0 || length < sizeof success || memcmp(bytes, success, sizeof success - 1) != 0) return;
  pthread_mutex_lock(&recording);
  record('A', "-", 0, length, bytes);
  pthread_mutex_unlock(&recording);
}

ssize_t write(int fd, const void *bytes, size_t length) {
  record_answer(bytes, length);
  return ((ssize_t(*)(int, const void *, size_t))real("write"))(fd, bytes, length);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  /* The head and the body of an answer may be two parts: the recording names the answer by both. */
  char joined[8192];
  size_t length = 0;
  for (int index = 0; index < count && length < sizeof joined; index++) {
    size_t room = sizeof joined - length;
    size_t size = parts[index].iov_len < room ? parts[index].iov_len : room;
    memcpy(joined + length, parts[index].iov_base, size);
    length += size;
  }
  record_answer(joined, length);
  return ((ssize_t(*)(int, const struct iovec *, int))real("writev"))(fd, parts, count);
}
