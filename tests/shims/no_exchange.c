/* A system without renameat2: every call of it fails with ENOSYS. Preloaded by tests. */

#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>

int renameat2(int a, const char *old, int b, const char *new, unsigned int flags)
{
	(void)a;
	(void)old;
	(void)b;
	(void)new;
	(void)flags;
	errno = ENOSYS;
	return -1;
}
