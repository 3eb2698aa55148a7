/* A stand-in for what an emulated drive lacks: Sanitize, cryptographic erase, and drives that lie.
 *
 * Preloaded into the engine, it answers the NVMe ioctls of the kernel. What STANDIN does not name goes to the real
 * drive, if there is one; any other block device becomes a drive with one namespace. STANDIN is a list such as
 * "sanitize=7 sanitize_s=3 fna=4 lie=1 fail=2 phantom=1":
 *   sanitize    the capability bits of SANICAP
 *   sanitize_s  how long a sanitize operation takes, in seconds
 *   fna         the format attributes
 *   format_s    how long a format takes
 *   lie         report success, and erase nothing
 *   half        erase only the first half
 *   fail        fail: 1 the command, 2 the sanitize operation after it has started
 *   noise       leave random data instead of zeros
 *   phantom     a second namespace, which no block device leads to
 *   stale       a log that keeps the command word of another operation
 *   deaf        ignore discards
 *   shrink      report half the size after the purge
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NVME_ID 0x4E40UL
#define NVME_ADMIN 0xC0484E41UL
#define BLKGETSIZE64 0x80081272UL
#define BLKDISCARD 0x1277UL
#define BLKZEROOUT 0x127FUL
#define CHUNK (1 << 20)

struct command {
    uint8_t opcode, flags;
    uint16_t reserved;
    uint32_t nsid, word2, word3;
    uint64_t metadata, address;
    uint32_t metadata_length, length, word10, word11, word12, word13, word14, word15, timeout_ms, result;
};

typedef int (*ioctl_call)(int, unsigned long, ...);
static time_t began;
static uint32_t sanitize_word;
static int ended, purged, seen[64];

static int real(int fd, unsigned long request, void *argument) {
    static ioctl_call call;
    if (!call) call = (ioctl_call)dlsym(RTLD_NEXT, "ioctl");
    return call(fd, request, argument);
}

static long setting(const char *name) {
    const char *all = getenv("STANDIN");
    size_t length = strlen(name);
    for (const char *at = all; at && *at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
        if (!strncmp(at, name, length) && at[length] == '=') return strtol(at + length + 1, NULL, 0);
    return -1;
}

static int is_set(const char *name) { return setting(name) > 0; }

static void put(uint8_t *data, size_t at, uint64_t value, int bytes) {
    for (int each = 0; each < bytes; each++) data[at + each] = value >> 8 * each;
}

/* A sanitize operation reaches all namespaces that the engine may write. */
static void note(int fd) {
    for (int each = 0; each < 64; each++) {
        if (seen[each] == fd + 1) return;
        if (!seen[each]) {
            seen[each] = fd + 1;
            return;
        }
    }
}

static int is_nvme(int fd) { return real(fd, NVME_ID, NULL) > 0; }

static uint64_t size_of(int fd) {
    uint64_t size = 0;
    real(fd, BLKGETSIZE64, &size);
    return size;
}

static void erase(int fd) {
    uint64_t size = size_of(fd), range[2] = {0, is_set("half") ? size / 2 : size};
    purged = 1;
    if (is_set("lie")) return;
    if (!is_set("noise")) {
        if (real(fd, BLKZEROOUT, range)) perror("stand-in: BLKZEROOUT");
        return;
    }
    uint8_t *noise = aligned_alloc(4096, CHUNK);
    for (uint64_t at = 0; at < range[1]; at += CHUNK) {
        for (int each = 0; each < CHUNK; each += 4) put(noise, each, (uint64_t)random(), 4);
        if (pwrite(fd, noise, range[1] - at < CHUNK ? range[1] - at : CHUNK, at) < 0) perror("stand-in: pwrite");
    }
    free(noise);
}

static int identify(int fd, struct command *command, int nvme) {
    uint8_t *data = (uint8_t *)command->address;
    int kind = command->word10 & 0xFF;
    if (nvme) {
        int status = real(fd, NVME_ADMIN, command);
        if (status) return status;
    } else {
        memset(data, 0, 4096);
    }
    if (kind == 1) {
        if (!nvme) {
            memcpy(data + 4, "STANDIN             ", 20);
            memcpy(data + 24, "Stand-in                                ", 40);
            memcpy(data + 64, "1.0     ", 8);
            put(data, 256, 2, 2);
        }
        if (setting("fna") >= 0) data[524] = setting("fna");
        if (setting("sanitize") >= 0) put(data, 328, setting("sanitize"), 4);
    } else if (kind == 0) {
        if (!nvme) {
            uint64_t blocks = size_of(fd) / 512;
            put(data, 0, blocks, 8);
            put(data, 8, blocks, 8);
            put(data, 16, purged ? 0 : blocks, 8);
            data[128 + 2] = 9;
        }
        if (purged && is_set("shrink")) put(data, 0, size_of(fd) / 1024, 8);
    } else if (kind == 2 || kind == 0x10) {
        size_t count = 0;
        if (!nvme) put(data, 0, 1, 4);
        while (data[4 * count]) count++;
        if (is_set("phantom")) put(data, 4 * count, 99, 4);
    }
    return 0;
}

static int sanitize_log(struct command *command) {
    uint8_t *data = (uint8_t *)command->address;
    long lasts = setting("sanitize_s") > 0 ? setting("sanitize_s") : 0;
    memset(data, 0, 512);
    for (int at = 8; at < 32; at += 4) put(data, at, 0xFFFFFFFF, 4);
    put(data, 12, lasts, 4);
    put(data, 16, 0, 4);
    put(data, 8, lasts * 100, 4);
    put(data, 0, 0xFFFF, 2);
    if (!began) return 0;
    put(data, 4, is_set("stale") ? 4 : sanitize_word, 4);
    long passed = time(NULL) - began;
    if (passed < lasts) {
        put(data, 0, 65536 * passed / lasts, 2);
        data[2] = 2;
        return 0;
    }
    if (!ended) {
        ended = 1;
        for (int each = 0; each < 64; each++)
            if (seen[each] && setting("fail") != 2) erase(seen[each] - 1);
    }
    data[2] = setting("fail") == 2 ? 3 : 1;
    data[3] = setting("fail") == 2 ? 0 : 1;
    return 0;
}

static int admin(int fd, struct command *command) {
    int nvme = is_nvme(fd);
    switch (command->opcode) {
    case 0x06:
        return identify(fd, command, nvme);
    case 0x02:
        if ((command->word10 & 0xFF) == 0x81 && is_set("sanitize")) return sanitize_log(command);
        break;
    case 0x84:
        if (!is_set("sanitize")) break;
        if (setting("fail") == 1) return 0x15;
        began = time(NULL);
        ended = 0;
        sanitize_word = command->word10;
        return 0;
    case 0x80:
        if (setting("fail") == 1) return 0x10A;
        if (command->nsid != 1 && !nvme) return 0x0B;
        if (setting("format_s") > 0) sleep(setting("format_s"));
        if (nvme && !is_set("lie") && !is_set("half") && !is_set("noise")) break;
        erase(fd);
        return 0;
    }
    if (nvme) {
        int status = real(fd, NVME_ADMIN, command);
        if (command->opcode == 0x80) purged = 1;
        return status;
    }
    return 1;
}

int ioctl(int fd, unsigned long request, ...) {
    va_list rest;
    struct stat facts;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (request == BLKDISCARD && is_set("deaf")) return 0;
    if (!getenv("STANDIN") || (request != NVME_ID && request != NVME_ADMIN)) return real(fd, request, argument);
    if (fstat(fd, &facts) || !S_ISBLK(facts.st_mode)) return real(fd, request, argument);
    if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR) note(fd);
    if (request == NVME_ADMIN) return admin(fd, argument);
    int found = real(fd, request, argument);
    return found > 0 ? found : 1;
}
