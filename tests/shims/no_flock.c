/* A file system without flock: every call of it fails with ENOLCK. Preloaded by tests. */

#include <errno.h>
#include <sys/file.h>

int flock(int fd, int operation)
{
	(void)fd;
	(void)operation;
	errno = ENOLCK;
	return -1;
}
