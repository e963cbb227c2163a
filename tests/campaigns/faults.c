// Makes one call of a program fail. Loaded before the C library (LD_PRELOAD).
//
//   PEGASOS_FAULT=KIND:N:ERRNO   the N-th call of this kind fails; N = 0 counts only
//   PEGASOS_FAULT_COUNT=FILE     the number of calls is written here in the end
//
// Kinds: alloc, read, write, fsync, rename, close, mmap, ftruncate, fallocate. Calls count from when
// the first file is opened whose name ends in ".svm", ".csv" or ".model" or that has no name: what
// is before is the start of any program.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static char kind[16] = "";
static long fail_at = 0;
static int failure = 0;
static atomic_long calls = 0;
static atomic_int armed = 0;

__attribute__((constructor)) static void begin(void) {
  const char* wish = getenv("PEGASOS_FAULT");
  if (wish != NULL) sscanf(wish, "%15[a-z]:%ld:%d", kind, &fail_at, &failure);
}

__attribute__((destructor)) static void end(void) {
  const char* path = getenv("PEGASOS_FAULT_COUNT");
  if (path == NULL) return;
  char text[32];
  const int length = snprintf(text, sizeof text, "%ld", atomic_load(&calls));
  armed = 0;
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd >= 0 && write(fd, text, (size_t)length) == length) close(fd);
}

static int fails(const char* of) {
  if (!armed || strcmp(kind, of) != 0) return 0;
  if (atomic_fetch_add(&calls, 1) + 1 != fail_at) return 0;
  errno = failure;
  return 1;
}

static int ends_in(const char* path, const char* end) {
  const size_t length = strlen(path);
  return length > strlen(end) && strcmp(path + length - strlen(end), end) == 0;
}

static void arm(const char* path, int flags) {
  if (ends_in(path, ".svm") || ends_in(path, ".csv") || ends_in(path, ".model") ||
      (flags & O_TMPFILE) == O_TMPFILE) {
    armed = 1;
  }
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void* malloc(size_t size) { return fails("alloc") ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) {
  return fails("alloc") ? NULL : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) { return fails("alloc") ? NULL : __libc_realloc(old, size); }
void* aligned_alloc(size_t alignment, size_t size) {
  return fails("alloc") ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  if (fails("alloc")) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out == NULL ? ENOMEM : 0;
}

static int opened(const char* path, int flags, mode_t mode) {
  arm(path, flags);
  int (*next)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open");
  return next(path, flags, mode);
}
int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return opened(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return opened(path, flags, mode);
}

ssize_t read(int fd, void* bytes, size_t size) {
  return fails("read") ? -1 : NEXT(read)(fd, bytes, size);
}
ssize_t write(int fd, const void* bytes, size_t size) {
  // What is said to people may be lost.
  if (fd != STDERR_FILENO && fails("write")) return -1;
  return NEXT(write)(fd, bytes, size);
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) {
  return fails("write") ? -1 : NEXT(pwrite)(fd, bytes, size, at);
}
ssize_t pwrite64(int fd, const void* bytes, size_t size, off_t at) {
  return fails("write") ? -1 : NEXT(pwrite)(fd, bytes, size, at);
}
int fsync(int fd) { return fails("fsync") ? -1 : NEXT(fsync)(fd); }
int rename(const char* from, const char* to) { return fails("rename") ? -1 : NEXT(rename)(from, to); }
int close(int fd) {
  const int result = NEXT(close)(fd);
  return fails("close") ? -1 : result;
}
int ftruncate(int fd, off_t size) { return fails("ftruncate") ? -1 : NEXT(ftruncate)(fd, size); }
int posix_fallocate(int fd, off_t from, off_t size) {
  return fails("fallocate") ? failure : NEXT(posix_fallocate)(fd, from, size);
}
int posix_fallocate64(int fd, off64_t from, off64_t size) {
  return fails("fallocate") ? failure : NEXT(posix_fallocate64)(fd, from, size);
}
void* mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) {
  return fails("mmap") ? MAP_FAILED : NEXT(mmap)(at, size, protection, flags, fd, offset);
}
void* mmap64(void* at, size_t size, int protection, int flags, int fd, off_t offset) {
  return fails("mmap") ? MAP_FAILED : NEXT(mmap)(at, size, protection, flags, fd, offset);
}
