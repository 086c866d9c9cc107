/*
 * A library that injects disk faults on request. A process preloads it, and it replaces the functions of the C library
 * that change or read files under one directory. LevelDB writes through stdio, whose internal writes cannot be
 * replaced, so this library opens such files as custom streams.
 *
 * FAULTS_DIR      the directory
 * FAULTS_CONTROL  a file with a struct control, which the test writes to while the process runs
 * FAULTS_DURABLE  a file that gets a struct durable for each successful sync, new file and truncation
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, SYNC = 2, OPEN = 4, TRUNCATE = 8, NAME = 16, READ = 32 };

struct fault {
  int32_t calls; /* the kinds of calls that fail, a bit mask of the constants above */
  int32_t error; /* errno */
  int32_t skip;  /* number of calls that succeed before the first failure */
  int32_t times; /* number of calls that fail, then all succeed; below 0: no limit */
  int32_t share; /* the part of a failing write that is still written, in 256ths */
};

enum { FAULTS = 2 };

struct control {
  int32_t failed; /* number of calls that have failed, read by the test */
  struct fault faults[FAULTS];
};

/* The part of a file that survives a power cut, until the next record of the same file. */
struct durable {
  int64_t inode;
  int64_t bytes;
  int64_t tail; /* number of truncated bytes that may reappear; they follow this record */
};

static struct control *control;
static const char *dir;
static size_t dir_length;
static int durable_fd = -1;

__attribute__((constructor)) static void start(void) {
  dir = getenv("FAULTS_DIR");
  const char *control_path = getenv("FAULTS_CONTROL");
  const char *durable_path = getenv("FAULTS_DURABLE");
  if (dir == NULL || control_path == NULL || durable_path == NULL) return;
  dir_length = strlen(dir);
  int fd = syscall(SYS_openat, AT_FDCWD, control_path, O_RDWR | O_CLOEXEC, 0);
  if (fd < 0) return;
  void *map = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  syscall(SYS_close, fd);
  /* A high number, so that the process does not mistake the descriptor for one of its own. */
  fd = syscall(SYS_openat, AT_FDCWD, durable_path, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
  durable_fd = fcntl(fd, F_DUPFD_CLOEXEC, 500);
  syscall(SYS_close, fd);
  if (map != MAP_FAILED) control = map;
}

static int is_ours(const char *path) {
  return control != NULL && path != NULL && strncmp(path, dir, dir_length) == 0 &&
         (path[dir_length] == '/' || path[dir_length] == '\0');
}

static int is_our_fd(int fd) {
  char link[64], path[4096];
  if (control == NULL) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = syscall(SYS_readlink, link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return is_ours(path);
}

/* Whether calls of the kind may fail now. This test is cheap and comes before the costly look-up of the path. */
static int is_armed(int kind) {
  if (control == NULL) return 0;
  for (int at = 0; at < FAULTS; at++)
    if (__atomic_load_n(&control->faults[at].calls, __ATOMIC_SEQ_CST) & kind) return 1;
  return 0;
}

/* The share of the last call that failed in this thread. */
static __thread int share;

/* Returns the errno with which this call fails; 0: it succeeds. */
static int fault(int kind) {
  for (int at = 0; at < FAULTS; at++) {
    struct fault *fault = &control->faults[at];
    if (!(__atomic_load_n(&fault->calls, __ATOMIC_SEQ_CST) & kind)) continue;
    if (__atomic_fetch_sub(&fault->skip, 1, __ATOMIC_SEQ_CST) > 0) continue;
    int32_t times = __atomic_load_n(&fault->times, __ATOMIC_SEQ_CST);
    if (times == 0) continue;
    if (times > 0 && __atomic_fetch_sub(&fault->times, 1, __ATOMIC_SEQ_CST) <= 0) continue;
    __atomic_fetch_add(&control->failed, 1, __ATOMIC_SEQ_CST);
    share = fault->share;
    return fault->error;
  }
  return 0;
}

static int fails_at(int kind, const char *path) {
  if (!is_armed(kind) || !is_ours(path)) return 0;
  errno = fault(kind);
  return errno != 0;
}

static int fails_on(int kind, int fd) {
  if (!is_armed(kind) || !is_our_fd(fd)) return 0;
  errno = fault(kind);
  return errno != 0;
}

/* After a failed sync, the kernel marks the pages of the file as clean. No later sync then stores the bytes that were
   written since the last successful sync. */
static struct { ino_t inode; int64_t bytes, lost_from; } files[4096];
static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER;

static void tell(ino_t inode, int64_t bytes, const void *tail, int64_t tail_bytes) {
  struct durable record = {inode, bytes, tail_bytes};
  struct iovec parts[] = {{&record, sizeof record}, {(void *)tail, tail_bytes}};
  syscall(SYS_writev, durable_fd, parts, 2);
}

static int place_of(ino_t inode) {
  int at = 0;
  while (at < 4095 && files[at].inode != 0 && files[at].inode != inode) at++;
  if (files[at].inode != inode) {
    files[at].inode = inode;
    files[at].bytes = 0;
    files[at].lost_from = -1;
  }
  return at;
}

/* An empty file may have the inode number of a deleted file. */
static void note_new(int fd) {
  struct stat about;
  if (fstat(fd, &about) != 0 || about.st_size > 0) return;
  pthread_mutex_lock(&files_lock);
  int at = place_of(about.st_ino);
  files[at].bytes = 0;
  files[at].lost_from = -1;
  tell(about.st_ino, 0, NULL, 0);
  pthread_mutex_unlock(&files_lock);
}

static void note_sync(int fd, int has_failed) {
  struct stat about;
  if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return;
  pthread_mutex_lock(&files_lock);
  int at = place_of(about.st_ino);
  if (has_failed && files[at].lost_from < 0) files[at].lost_from = files[at].bytes;
  if (about.st_size <= files[at].lost_from) files[at].lost_from = -1;
  if (!has_failed) {
    files[at].bytes = files[at].lost_from < 0 ? about.st_size : files[at].lost_from;
    tell(about.st_ino, files[at].bytes, NULL, 0);
  }
  pthread_mutex_unlock(&files_lock);
}

/* Truncated bytes may reappear after a power cut until the file is synced. */
static void note_cut(int fd, off_t length) {
  struct stat about;
  if (fstat(fd, &about) != 0 || about.st_size <= length) return;
  size_t bytes = about.st_size - length;
  char *tail = malloc(bytes);
  ssize_t found = syscall(SYS_pread64, fd, tail, bytes, length);
  pthread_mutex_lock(&files_lock);
  if (found > 0) tell(about.st_ino, length, tail, found);
  pthread_mutex_unlock(&files_lock);
  free(tail);
}

#define REAL(name) \
  static __typeof__(name) *real; \
  if (real == NULL) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static int open_at(int at, const char *path, int flags, mode_t mode) {
  if (fails_at(OPEN, path)) return -1;
  int fd = syscall(SYS_openat, at, path, flags, mode);
  if (fd >= 0 && is_ours(path) && (flags & O_ACCMODE) != O_RDONLY) note_new(fd);
  return fd;
}

#define OPEN_WITH(at) \
  va_list rest; \
  va_start(rest, flags); \
  mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
  va_end(rest); \
  return open_at(at, path, flags, mode)

int open(const char *path, int flags, ...) { OPEN_WITH(AT_FDCWD); }
int open64(const char *path, int flags, ...) { OPEN_WITH(AT_FDCWD); }
int openat(int at, const char *path, int flags, ...) { OPEN_WITH(at); }
int openat64(int at, const char *path, int flags, ...) { OPEN_WITH(at); }

/* Returns the number of bytes of a failing write that are still written. */
static size_t arriving(size_t bytes) { return bytes * (size_t)share / 256; }

ssize_t write(int fd, const void *bytes, size_t length) {
  if (fails_on(WRITE, fd)) {
    int error = errno;
    ssize_t done = arriving(length) > 0 ? syscall(SYS_write, fd, bytes, arriving(length)) : -1;
    errno = error;
    return done;
  }
  return syscall(SYS_write, fd, bytes, length);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  if (fails_on(WRITE, fd)) {
    int error = errno;
    ssize_t done = arriving(length) > 0 ? syscall(SYS_pwrite64, fd, bytes, arriving(length), offset) : -1;
    errno = error;
    return done;
  }
  return syscall(SYS_pwrite64, fd, bytes, length, offset);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (fails_on(WRITE, fd)) return -1;
  return syscall(SYS_writev, fd, parts, count);
}

ssize_t pread64(int fd, void *bytes, size_t length, off64_t offset) {
  if (fails_on(READ, fd)) return -1;
  return syscall(SYS_pread64, fd, bytes, length, offset);
}

static int sync_with(long call, int fd) {
  if (control == NULL || !is_our_fd(fd)) return syscall(call, fd);
  errno = fault(SYNC);
  if (errno != 0) {
    int error = errno;
    note_sync(fd, 1);
    errno = error;
    return -1;
  }
  int result = syscall(call, fd);
  if (result == 0) note_sync(fd, 0);
  return result;
}

int fsync(int fd) { return sync_with(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_with(SYS_fdatasync, fd); }

int ftruncate64(int fd, off64_t length) {
  if (fails_on(TRUNCATE, fd)) return -1;
  if (is_our_fd(fd)) note_cut(fd, length);
  return syscall(SYS_ftruncate, fd, length);
}
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int rename(const char *from, const char *to) {
  REAL(rename);
  return fails_at(NAME, from) ? -1 : real(from, to);
}

int link(const char *from, const char *to) {
  REAL(link);
  return fails_at(NAME, from) ? -1 : real(from, to);
}

int unlink(const char *path) {
  REAL(unlink);
  return fails_at(NAME, path) ? -1 : real(path);
}

/* Streams for files that the process opens with fopen. */

struct stream { FILE *file; int fd; };
static struct stream streams[256];
static pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER;

static ssize_t stream_read(void *cookie, char *bytes, size_t length) {
  int fd = ((struct stream *)cookie)->fd;
  if ((errno = fault(READ)) != 0) return -1;
  return syscall(SYS_read, fd, bytes, length);
}

static ssize_t stream_write(void *cookie, const char *bytes, size_t length) {
  int fd = ((struct stream *)cookie)->fd;
  int error = fault(WRITE);
  size_t wanted = error == 0 ? length : arriving(length), done = 0;
  while (done < wanted) {
    ssize_t now = syscall(SYS_write, fd, bytes + done, wanted - done);
    if (now < 0) return done;
    done += now;
  }
  if (error != 0) errno = error;
  return done;
}

static int stream_seek(void *cookie, off64_t *offset, int whence) {
  off64_t result = lseek64(((struct stream *)cookie)->fd, *offset, whence);
  if (result < 0) return -1;
  *offset = result;
  return 0;
}

static int stream_close(void *cookie) {
  struct stream *stream = cookie;
  int fd = stream->fd;
  pthread_mutex_lock(&streams_lock);
  stream->file = NULL;
  pthread_mutex_unlock(&streams_lock);
  return syscall(SYS_close, fd);
}

static FILE *open_stream(const char *path, const char *mode) {
  int flags = mode[0] == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | (mode[0] == 'a' ? O_APPEND : O_TRUNC);
  int fd = open_at(AT_FDCWD, path, flags, 0666);
  if (fd < 0) return NULL;
  pthread_mutex_lock(&streams_lock);
  struct stream *stream = streams;
  while (stream->file != NULL) stream++;
  stream->fd = fd;
  stream->file = fopencookie(stream, mode, (cookie_io_functions_t){stream_read, stream_write, stream_seek, stream_close});
  pthread_mutex_unlock(&streams_lock);
  return stream->file;
}

FILE *fopen(const char *path, const char *mode) {
  REAL(fopen);
  return is_ours(path) ? open_stream(path, mode) : real(path, mode);
}

FILE *fopen64(const char *path, const char *mode) {
  REAL(fopen64);
  return is_ours(path) ? open_stream(path, mode) : real(path, mode);
}

int fileno(FILE *file) {
  REAL(fileno);
  int fd = -1;
  pthread_mutex_lock(&streams_lock);
  for (struct stream *stream = streams; stream < streams + 256; stream++)
    if (stream->file == file) fd = stream->fd;
  pthread_mutex_unlock(&streams_lock);
  return fd >= 0 ? fd : real(file);
}
