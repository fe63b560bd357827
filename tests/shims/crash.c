/*
 * Kills a program at its N-th call that changes a file system. Preloaded by tests.
 *
 * CRASH_CONTROL names a file that all processes of one test map; tests/crash/stable.py
 * writes it. Only `main`, the process under test, is killed, as kill -9 would: a git
 * process that it had started lives on and finishes. With `all` set it dies as well,
 * as everything does when the machine goes down. With `torn` set, a write at N is cut
 * in half before the kill. Not counted are writes to pipes and to the three standard
 * streams, and flushes: to the files of a killed process they make no difference, and so
 * nobody waits for the disk here.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct control {
	int32_t armed;
	int32_t at; /* 0: only count */
	int32_t main;
	int32_t all;
	int32_t torn;
	int32_t counted;
	char last[232]; /* the call that was hit, for the test's message */
};

static struct control *control;

__attribute__((constructor)) static void map_control(void)
{
	const char *path = getenv("CRASH_CONTROL");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *found;

	if (fd < 0)
		return;
	found = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (found != MAP_FAILED)
		control = found;
}

static void die(void)
{
	int main = control->main;
	/* asked before the kill: the test may use the control again at once */
	int with_main = getpid() == main || control->all;

	control->armed = 0;
	kill(main, SIGKILL);
	if (with_main)
		for (;;)
			kill(getpid(), SIGKILL);
}

/* Is this the call to die at. */
static int counts(const char *call, const char *path)
{
	if (!control || !control->armed)
		return 0;
	if (__sync_add_and_fetch(&control->counted, 1) != control->at)
		return 0;
	snprintf(control->last, sizeof(control->last), "%s %s", call, path ? path : "");
	return 1;
}

#define REAL(name) \
	static __typeof__(name) *real; \
	if (!real) \
		real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define BEFORE(call, path) \
	do { \
		if (counts(call, path)) \
			die(); \
	} while (0)

static int is_file(int fd)
{
	struct stat found;

	return fd > 2 && fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
}

ssize_t write(int fd, const void *data, size_t size)
{
	REAL(write);
	if (control && control->armed && is_file(fd) && counts("write", NULL)) {
		if (control->torn)
			real(fd, data, size / 2);
		die();
	}
	return real(fd, data, size);
}

#define PWRITE(name, offset_type) \
	ssize_t name(int fd, const void *data, size_t size, offset_type offset) \
	{ \
		REAL(name); \
		if (control && control->armed && is_file(fd) && counts("pwrite", NULL)) { \
			if (control->torn) \
				real(fd, data, size / 2, offset); \
			die(); \
		} \
		return real(fd, data, size, offset); \
	}
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int fd, const struct iovec *parts, int count)
{
	REAL(writev);
	if (control && control->armed && is_file(fd))
		BEFORE("writev", NULL);
	return real(fd, parts, count);
}

#define OPEN(name) \
	int name(const char *path, int flags, ...) \
	{ \
		va_list rest; \
		int mode; \
		REAL(name); \
		va_start(rest, flags); \
		mode = va_arg(rest, int); \
		va_end(rest); \
		if (flags & (O_CREAT | O_TRUNC)) \
			BEFORE("open", path); \
		return real(path, flags, mode); \
	}
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
	int name(int folder, const char *path, int flags, ...) \
	{ \
		va_list rest; \
		int mode; \
		REAL(name); \
		va_start(rest, flags); \
		mode = va_arg(rest, int); \
		va_end(rest); \
		if (flags & (O_CREAT | O_TRUNC)) \
			BEFORE("open", path); \
		return real(folder, path, flags, mode); \
	}
OPENAT(openat)
OPENAT(openat64)

#define CALL(name, types, values, path) \
	int name types \
	{ \
		REAL(name); \
		BEFORE(#name, path); \
		return real values; \
	}
CALL(rename, (const char *old, const char *new), (old, new), new)
CALL(renameat, (int a, const char *old, int b, const char *new), (a, old, b, new), new)
CALL(renameat2, (int a, const char *old, int b, const char *new, unsigned int flags),
     (a, old, b, new, flags), new)
CALL(link, (const char *old, const char *new), (old, new), new)
CALL(linkat, (int a, const char *old, int b, const char *new, int flags),
     (a, old, b, new, flags), new)
CALL(symlink, (const char *text, const char *path), (text, path), path)
CALL(symlinkat, (const char *text, int folder, const char *path), (text, folder, path), path)
CALL(unlink, (const char *path), (path), path)
CALL(unlinkat, (int folder, const char *path, int flags), (folder, path, flags), path)
CALL(remove, (const char *path), (path), path)
CALL(rmdir, (const char *path), (path), path)
CALL(mkdir, (const char *path, mode_t mode), (path, mode), path)
CALL(mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), path)
CALL(chmod, (const char *path, mode_t mode), (path, mode), path)
CALL(fchmod, (int fd, mode_t mode), (fd, mode), NULL)
CALL(fchmodat, (int folder, const char *path, mode_t mode, int flags),
     (folder, path, mode, flags), path)
CALL(truncate, (const char *path, off_t size), (path, size), path)
CALL(ftruncate, (int fd, off_t size), (fd, size), NULL)
CALL(ftruncate64, (int fd, off64_t size), (fd, size), NULL)

#define FLUSH(name) \
	int name(int fd) \
	{ \
		struct stat found; \
		return fstat(fd, &found); /* what is no file is refused */ \
	}
FLUSH(fsync)
FLUSH(fdatasync)
FLUSH(syncfs)
