// Makes calls of a sync fail, and checks what a data folder holds after a failure and after the next sync.
import { spawnSync } from "node:child_process";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect } from "vitest";
import { findPath } from "../../api-static/contract/answers/changes.ts";
import { readChain } from "../../api-static/release/chain.ts";
import { listReleases } from "../../pipeline/releases/folders.ts";
import { readManifest } from "../../pipeline/releases/manifest.ts";
import { isInstalled } from "../programs.ts";
import { digestFolder } from "./release.fixture.ts";
import { digestContent, expectNoLeftovers, findProblems, findRelease, syncHere } from "./trust.fixture.ts";

/** A warehouse, and the files of the release that a sync without faults makes from it. */
export type Source = { readonly warehouse: string; readonly content: Readonly<Record<string, string>> };

/** Makes data folders with one release, each a copy of one folder. */
export class FaultyData {
  readonly #root: string;
  readonly #made: string;
  #count = 0;

  constructor(root: string) {
    this.#root = root;
    this.#made = join(root, "made");
  }

  /** Makes the release that every data folder starts with. */
  async make(warehouse: string): Promise<Source> {
    return { warehouse, content: await digestContent(await syncHere(warehouse, this.#made)) };
  }

  /** What a sync of another warehouse makes without faults. */
  async source(warehouse: string): Promise<Source> {
    const data = join(this.#root, "undisturbed");
    const content = await digestContent(await syncHere(warehouse, data));
    await rm(data, { recursive: true });
    return { warehouse, content };
  }

  async copy(): Promise<string> {
    const data = join(this.#root, `data${this.#count++}`);
    await mkdir(this.#root, { recursive: true });
    await cp(this.#made, data, { recursive: true, verbatimSymlinks: true });
    return data;
  }
}

/** The release that was current before a fault, and its files. */
export type Before = { readonly release: string; readonly files: Readonly<Record<string, string>> };

export async function readBefore(data: string): Promise<Before> {
  const release = await findRelease(data);
  return { release, files: await digestFolder(release) };
}

/** Expects that `current` names a whole release: the previous one, unchanged, or a new one that passes verification. */
export async function expectWhole(data: string, before: Before, source: Source): Promise<void> {
  const release = await findRelease(data);
  if (release === before.release) expect(await digestFolder(release)).toEqual(before.files);
  else expect(await digestContent(release)).toEqual(source.content);
  await readManifest(release);
  if (release !== before.release) expect(await findProblems(release)).toBe("");
}

/** Runs one more sync, and expects the release that a sync without faults makes, and no leftover files. */
export async function expectRecovery(data: string, source: Source): Promise<void> {
  const environment = { KEEP: "2", THREADS: "1" };
  const release = await syncHere(source.warehouse, data, environment);
  expect(await digestContent(release)).toEqual(source.content);
  await expectNoLeftovers(data);
  // Whatever the fault, a follower of an earlier release gets to this one.
  const chain = await readChain(data);
  expect(chain?.current).toBe(basename(release));
  const first = chain?.entries.find(({ from }) => from !== null)?.from ?? undefined;
  expect(chain && findPath(chain, first)).toBeDefined();
  expect((await listReleases(data)).length).toBeLessThanOrEqual(2);
}

/** Source of a library that lists system calls, and fails or kills its process at chosen ones; see `Fault`. */
const librarySource = String.raw`
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>
static int seen;
static void trace(const char *call, const char *path) {
  const char *below = getenv("FAULT_BELOW"), *list = getenv("FAULT_TRACE");
  if (!below || !list || strncmp(path, below, strlen(below))) return;
  char line[4200];
  int size = snprintf(line, sizeof line, "%s %s\n", call, path + strlen(below));
  int file = syscall(SYS_openat, AT_FDCWD, list, O_CREAT | O_WRONLY | O_APPEND, 0600);
  if (file >= 0) { syscall(SYS_write, file, line, size); syscall(SYS_close, file); }
}
static int fails(const char *call, const char *path) {
  trace(call, path);
  const char *below = getenv("FAULT_BELOW"), *end = getenv("FAULT_PATH"), *mark = getenv("FAULT_MARK");
  if (!below || !end || !mark || strcmp(call, getenv("FAULT_CALL"))) return 0;
  size_t size = strlen(path), tail = strlen(end);
  if (strncmp(path, below, strlen(below)) || size < tail || strcmp(path + size - tail, end)) return 0;
  int call_number = __sync_add_and_fetch(&seen, 1), nth = atoi(getenv("FAULT_NTH"));
  if (call_number < nth) return 0;
  int file = syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0600);
  if (file >= 0) syscall(SYS_close, file);
  int number = atoi(getenv("FAULT_ERRNO"));
  if (number == 0) kill(getpid(), SIGKILL);
  if (number < 0 && call_number == nth) return 2;
  errno = number < 0 ? ENOSPC : number;
  return 1;
}
static int failsAt(const char *call, int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return fails(call, path);
}
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
/* Failing: -1. Short: half of the bytes, or of the first buffer. */
#define WRITE(whole, half) switch (failsAt("write", f)) { case 0: return whole; case 1: return -1; default: return half; }
#define HALF(n) ((n) > 1 ? (n) / 2 : (n))
ssize_t write(int f, const void *b, size_t n) { WRITE(NEXT(write)(f, b, n), NEXT(write)(f, b, HALF(n))) }
ssize_t pwrite(int f, const void *b, size_t n, off_t o) { WRITE(NEXT(pwrite)(f, b, n, o), NEXT(pwrite)(f, b, HALF(n), o)) }
ssize_t pwrite64(int f, const void *b, size_t n, off64_t o) { WRITE(NEXT(pwrite64)(f, b, n, o), NEXT(pwrite64)(f, b, HALF(n), o)) }
ssize_t writev(int f, const struct iovec *v, int n) { WRITE(NEXT(writev)(f, v, n), NEXT(write)(f, v->iov_base, HALF(v->iov_len))) }
ssize_t pwritev(int f, const struct iovec *v, int n, off_t o) { WRITE(NEXT(pwritev)(f, v, n, o), NEXT(pwrite)(f, v->iov_base, HALF(v->iov_len), o)) }
int fsync(int f) { return failsAt("fsync", f) ? -1 : NEXT(fsync)(f); }
int fdatasync(int f) { return failsAt("fsync", f) ? -1 : NEXT(fdatasync)(f); }
int syncfs(int f) { return failsAt("syncfs", f) ? -1 : NEXT(syncfs)(f); }
int rename(const char *a, const char *b) { return fails("rename", a) ? -1 : NEXT(rename)(a, b); }
int symlink(const char *a, const char *b) { return fails("symlink", b) ? -1 : NEXT(symlink)(a, b); }
`;

/** A failure of the `nth` call of this kind, and of all later ones, on paths below the data folder that end like this. */
export type Fault = {
  readonly call: "write" | "fsync" | "rename";
  /** End of the path: the file written, the old name of a rename. */
  readonly path: string;
  readonly nth: number;
  /** "KILL" kills the process right before the call. "SHORT" writes half of the bytes, and then the disk is full. */
  readonly with: "ENOSPC" | "EIO" | "KILL" | "SHORT";
};

const isLinux = process.platform === "linux";
if (!isLinux) console.log("skipped: tests of failing writes and of flushes; they need Linux");

/** True if the library can be used here. */
export const hasCompiler = isLinux && isInstalled("gcc", "tests of failing writes and of flushes");

/** Compiles the library in a folder and returns its path. */
export async function compileLibrary(folder: string): Promise<string> {
  const [source, library] = [join(folder, "faults.c"), join(folder, "faults.so")];
  await writeFile(source, librarySource);
  const made = spawnSync("gcc", ["-shared", "-fPIC", "-o", library, source, "-ldl"]);
  expect(made.stderr.toString()).toBe("");
  return library;
}

/** The environment that appends each system call below the data folder to the file `list`, e.g., "fsync /releases". */
export function traceEnvironment(library: string, data: string, list: string) {
  return { LD_PRELOAD: library, FAULT_BELOW: data, FAULT_TRACE: list };
}

/** The environment that makes a fault happen. The file `mark` exists once it has happened. */
export function faultEnvironment(fault: Fault, library: string, data: string, mark: string) {
  return {
    LD_PRELOAD: library,
    FAULT_BELOW: data,
    FAULT_CALL: fault.call,
    FAULT_PATH: fault.path,
    FAULT_NTH: String(fault.nth),
    FAULT_ERRNO: { ENOSPC: "28", EIO: "5", KILL: "0", SHORT: "-1" }[fault.with],
    FAULT_MARK: mark,
  };
}
