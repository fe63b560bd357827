/*
 * A reader that is held up while it lists a pack folder: SLOW_MS pass between the names
 * and the first look at what they name, as on a busy machine or over a network.
 */

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static DIR *slowed;

static void wait_once(DIR *folder)
{
	const char *text = getenv("SLOW_MS");
	char link[64], path[PATH_MAX];
	ssize_t size;

	if (!text || folder == slowed)
		return;
	slowed = folder;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", dirfd(folder));
	size = readlink(link, path, sizeof(path) - 1);
	if (size < 13)
		return;
	path[size] = 0;
	if (!strcmp(path + size - 13, "/objects/pack"))
		usleep(1000 * (useconds_t)atoi(text));
}

#define READDIR(name, type) \
	struct type *name(DIR *folder) \
	{ \
		static struct type *(*real)(DIR *); \
		struct type *found; \
		if (!real) \
			real = (struct type * (*)(DIR *)) dlsym(RTLD_NEXT, #name); \
		found = real(folder); \
		wait_once(folder); \
		return found; \
	}
READDIR(readdir, dirent)
READDIR(readdir64, dirent64)

int closedir(DIR *folder)
{
	static int (*real)(DIR *);

	if (!real)
		real = (int (*)(DIR *))dlsym(RTLD_NEXT, "closedir");
	if (folder == slowed)
		slowed = NULL;
	return real(folder);
}
