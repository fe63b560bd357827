/* A disk that takes SLOW_FSYNC_US microseconds longer for every flush. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_for_the_disk(void)
{
	const char *text = getenv("SLOW_FSYNC_US");

	if (text != NULL)
		usleep((useconds_t)strtoul(text, NULL, 10));
}

int fsync(int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");

	wait_for_the_disk();
	return real(fd);
}

int fdatasync(int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");

	wait_for_the_disk();
	return real(fd);
}

int syncfs(int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "syncfs");

	wait_for_the_disk();
	return real(fd);
}
