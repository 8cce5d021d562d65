/**
 * The seccomp filter that bubblewrap loads. It denies system calls that commands do not need and that lead
 * out of a sandbox made of namespaces: the inherited keyrings, faked terminal input, sockets that no namespace
 * isolates (from a virtual machine to its host), and setuid files, which would run with the rights of this
 * user. It also denies the newer interfaces in which most vulnerabilities were found: io_uring, BPF,
 * userfaultfd and perf.
 *
 * The first process of the sandbox dies with its parent and takes all others with it, so processes inside
 * must not be able to change it. Other processes may be traced, as debuggers do; bubblewrap-args.ts hides
 * the files in `/proc/1`.
 *
 * A filter cannot read arguments behind a pointer, so `openat2` is reported as missing; programs that use it
 * fall back to `openat`.
 */

import type { LimitKind } from './sandbox-type.ts'

const arches = {
  x64: 0xc000003e,
  ia32: 0x40000003,
  arm64: 0xc00000b7,
} as const

type Arch = keyof typeof arches

/** System call numbers. A missing entry means that the architecture has no such call. */
const calls: Readonly<Record<Arch, Readonly<Record<string, number>>>> = {
  x64: {
    keys1: 248,
    keys2: 249,
    keys3: 250,
    bpf: 321,
    userfaultfd: 323,
    perf: 298,
    syslog: 103,
    memfd: 319,
    ioctl: 16,
    socket: 41,
    open: 2,
    openat: 257,
    creat: 85,
    chmod: 90,
    fchmod: 91,
    fchmodat: 268,
    mknod: 133,
    mknodat: 259,
    ptrace: 101,
    readMemory: 310,
    writeMemory: 311,
  },
  ia32: {
    keys1: 286,
    keys2: 287,
    keys3: 288,
    bpf: 357,
    userfaultfd: 374,
    perf: 336,
    syslog: 103,
    memfd: 356,
    ioctl: 54,
    socket: 359,
    socketcall: 102,
    open: 5,
    openat: 295,
    creat: 8,
    chmod: 15,
    fchmod: 94,
    fchmodat: 306,
    mknod: 14,
    mknodat: 297,
    ptrace: 26,
    readMemory: 347,
    writeMemory: 348,
  },
  arm64: {
    keys1: 217,
    keys2: 218,
    keys3: 219,
    bpf: 280,
    userfaultfd: 282,
    perf: 241,
    syslog: 116,
    memfd: 279,
    ioctl: 29,
    socket: 198,
    openat: 56,
    fchmod: 52,
    fchmodat: 53,
    mknodat: 33,
    ptrace: 117,
    readMemory: 270,
    writeMemory: 271,
  },
}

/** These have the same number on every architecture. */
const uring = [425, 426, 427] as const
const openat2 = 437
const fchmodat2 = 452
const secretMemory = 447
const takeDescriptor = 438

const deniedCalls = ['keys1', 'keys2', 'keys3', 'bpf', 'userfaultfd', 'perf', 'syslog'] as const
/** The index of the argument that is the mode. */
const modeArguments = { creat: 1, chmod: 1, fchmod: 1, fchmodat: 2, mknod: 1, mknodat: 2 } as const
const setId = 0o6000
/** The index of the argument that is the pid; the kernel reads only its lower half, and so does the filter. */
const processArguments = { ptrace: 1, readMemory: 0, writeMemory: 0 } as const
/** All other processes die when this one dies. */
const firstProcess = 1
const opens = { open: { flags: 1, mode: 2 }, openat: { flags: 2, mode: 3 } } as const
/** O_CREAT and O_TMPFILE: without them the mode argument is an arbitrary register value. */
const creates = 0x400040
/** Unix, IPv4, IPv6 and netlink: the families that a network namespace isolates. */
const families = [1, 2, 10, 16] as const
/** TIOCSTI and TIOCLINUX. */
const terminalInput = [0x5412, 0x541c] as const

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number]

const load = (offset: number): Instruction => [0x20, 0, 0, offset]
const argument = (index: number): Instruction => load(16 + 8 * index)
const ifEqual = (value: number, yes: number, no: number): Instruction => [0x15, yes, no, value]
const ifAtLeast = (value: number, yes: number, no: number): Instruction => [0x35, yes, no, value]
const ifAnyBit = (value: number, yes: number, no: number): Instruction => [0x45, yes, no, value]
const jump = (count: number): Instruction => [0x05, 0, 0, count]
const result = (value: number): Instruction => [0x06, 0, 0, value]

const allow = result(0x7fff0000)
const notPermitted = result(0x00050000 + 1)
const noSuchCall = result(0x00050000 + 38)
const noSuchFamily = result(0x00050000 + 97)

/**
 * Undefined for an unknown architecture. Without control groups the memory of anonymous files is not
 * counted, so `memfd_create` is denied then.
 */
export function seccompFilter(
  limits: LimitKind,
  arch: string = process.arch,
): Uint8Array | undefined {
  const own: readonly Arch[] = arch === 'x64' ? ['x64', 'ia32'] : arch === 'arm64' ? ['arm64'] : []
  if (own.length === 0) return undefined
  const instructions = [load(4), ...own.flatMap((one) => forArch(one, limits)), noSuchCall]
  const bytes = Buffer.alloc(8 * instructions.length)
  instructions.forEach(([code, whenTrue, whenFalse, value], index) => {
    bytes.writeUInt16LE(code, 8 * index)
    bytes.writeUInt8(whenTrue, 8 * index + 2)
    bytes.writeUInt8(whenFalse, 8 * index + 3)
    bytes.writeUInt32LE(value, 8 * index + 4)
  })
  return bytes
}

/** System calls of another architecture skip these rules. */
function forArch(arch: Arch, limits: LimitKind): readonly Instruction[] {
  const known = calls[arch]
  const number = (name: string): readonly number[] => {
    const found = known[name]
    return found === undefined ? [] : [found]
  }
  const uncounted = limits === 'cgroup' ? [] : [...number('memfd'), secretMemory]
  const rules = [
    load(0),
    // x32 has different numbers.
    ...(arch === 'x64' ? [ifAtLeast(0x40000000, 0, 1), noSuchCall] : []),
    ...deniedCalls.flatMap(number).flatMap((one) => when(one, [notPermitted])),
    ...[...uring, openat2, takeDescriptor, ...uncounted].flatMap((one) => when(one, [noSuchCall])),
    ...number('socket').flatMap((one) => when(one, denyOtherFamilies)),
    // Its arguments are behind a pointer. Programs fall back to `socket`.
    ...number('socketcall').flatMap((one) => when(one, [noSuchCall])),
    ...number('ioctl').flatMap((one) => when(one, denyTerminalInput)),
    ...Object.entries(modeArguments).flatMap(([name, index]) =>
      number(name).flatMap((one) => when(one, denySetId(index))),
    ),
    ...when(fchmodat2, denySetId(2)),
    ...Object.entries(processArguments).flatMap(([name, index]) =>
      number(name).flatMap((one) => when(one, denyFirstProcess(index))),
    ),
    ...Object.entries(opens).flatMap(([name, { flags, mode }]) =>
      number(name).flatMap((one) =>
        when(one, [argument(flags), ifAnyBit(creates, 1, 0), allow, ...denySetId(mode)]),
      ),
    ),
    allow,
  ]
  return [ifEqual(arches[arch], 1, 0), jump(rules.length), ...rules]
}

/** The instructions for one call; they must end in a result. */
const when = (call: number, then: readonly Instruction[]): readonly Instruction[] => [
  ifEqual(call, 0, then.length),
  ...then,
]

const denySetId = (index: number): readonly Instruction[] => [
  argument(index),
  ifAnyBit(setId, 0, 1),
  notPermitted,
  allow,
]

const denyFirstProcess = (index: number): readonly Instruction[] => [
  argument(index),
  ifEqual(firstProcess, 0, 1),
  notPermitted,
  allow,
]

const denyOtherFamilies: readonly Instruction[] = [
  argument(0),
  ...families.flatMap((family) => [ifEqual(family, 0, 1), allow]),
  noSuchFamily,
]

const [first, second] = terminalInput
const denyTerminalInput: readonly Instruction[] = [
  argument(1),
  ifEqual(first, 1, 0),
  ifEqual(second, 0, 1),
  notPermitted,
  allow,
]
