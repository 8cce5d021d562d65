/**
 * Calls to the kernel that no command has a use for, but that lead out of a sandbox made of namespaces:
 * the keyrings that we inherited, input typed into a terminal, sockets that no namespace holds (those from
 * a virtual machine to its host), and files that give whoever runs them the rights of their owner, which
 * would be ours. Also the newest doors, where most holes were: io_uring, BPF,
 * userfaultfd and perf. As the program for the kernel's filter that bubblewrap loads.
 *
 * The first process of the sandbox dies with us and takes all others with it: nobody inside may make
 * something else of it. Other processes may be traced, as debuggers do; bubblewrap-args.ts covers its files.
 *
 * What is asked for by a pointer cannot be looked at, so `openat2` is not there; all who use it do without.
 */

import type { LimitKind } from './sandbox-type.ts'

const arches = {
  x64: 0xc000003e,
  ia32: 0x40000003,
  arm64: 0xc00000b7,
} as const

type Arch = keyof typeof arches

/** Numbers of calls. The same where one is missing: there is no such call. */
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

/** The same number everywhere. */
const uring = [425, 426, 427] as const
const openat2 = 437
const fchmodat2 = 452
const secretMemory = 447
const takeDescriptor = 438

const refusedCalls = ['keys1', 'keys2', 'keys3', 'bpf', 'userfaultfd', 'perf', 'syslog'] as const
/** Which of its arguments is the mode. */
const modeArguments = { creat: 1, chmod: 1, fchmod: 1, fchmodat: 2, mknod: 1, mknodat: 2 } as const
const setId = 0o6000
/** Which of its arguments is the process; the kernel looks at the lower half only, as this does. */
const processArguments = { ptrace: 1, readMemory: 0, writeMemory: 0 } as const
/** It holds the others: its death is theirs. */
const firstProcess = 1
const opens = { open: { flags: 1, mode: 2 }, openat: { flags: 2, mode: 3 } } as const
/** O_CREAT and O_TMPFILE: otherwise the mode is whatever was left in the register. */
const creates = 0x400040
/** Local, of the internet in both versions, and to the kernel: all that a namespace of the network holds. */
const families = [1, 2, 10, 16] as const
/** TIOCSTI and TIOCLINUX. */
const typing = [0x5412, 0x541c] as const

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number]

const load = (offset: number): Instruction => [0x20, 0, 0, offset]
const argument = (index: number): Instruction => load(16 + 8 * index)
const ifEqual = (value: number, yes: number, no: number): Instruction => [0x15, yes, no, value]
const ifAtLeast = (value: number, yes: number, no: number): Instruction => [0x35, yes, no, value]
const ifAnyBit = (value: number, yes: number, no: number): Instruction => [0x45, yes, no, value]
const jump = (count: number): Instruction => [0x05, 0, 0, count]
const answer = (value: number): Instruction => [0x06, 0, 0, value]

const allow = answer(0x7fff0000)
const notPermitted = answer(0x00050000 + 1)
const noSuchCall = answer(0x00050000 + 38)
const noSuchFamily = answer(0x00050000 + 97)

/**
 * Undefined for a processor whose numbers are not known here. Without control groups nobody counts memory
 * that is a file without a name, so there is none then.
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

/** Skipped by calls of another kind. */
function forArch(arch: Arch, limits: LimitKind): readonly Instruction[] {
  const known = calls[arch]
  const number = (name: string): readonly number[] => {
    const found = known[name]
    return found === undefined ? [] : [found]
  }
  const uncounted = limits === 'cgroup' ? [] : [...number('memfd'), secretMemory]
  const rules = [
    load(0),
    // The numbers of x32 would be others.
    ...(arch === 'x64' ? [ifAtLeast(0x40000000, 0, 1), noSuchCall] : []),
    ...refusedCalls.flatMap(number).flatMap((one) => when(one, [notPermitted])),
    ...[...uring, openat2, takeDescriptor, ...uncounted].flatMap((one) => when(one, [noSuchCall])),
    ...number('socket').flatMap((one) => when(one, familyRefused)),
    // It has its arguments behind a pointer. Nobody needs it who knows the other.
    ...number('socketcall').flatMap((one) => when(one, [noSuchCall])),
    ...number('ioctl').flatMap((one) => when(one, typingRefused)),
    ...Object.entries(modeArguments).flatMap(([name, index]) =>
      number(name).flatMap((one) => when(one, modeRefused(index))),
    ),
    ...when(fchmodat2, modeRefused(2)),
    ...Object.entries(processArguments).flatMap(([name, index]) =>
      number(name).flatMap((one) => when(one, firstRefused(index))),
    ),
    ...Object.entries(opens).flatMap(([name, { flags, mode }]) =>
      number(name).flatMap((one) =>
        when(one, [argument(flags), ifAnyBit(creates, 1, 0), allow, ...modeRefused(mode)]),
      ),
    ),
    allow,
  ]
  return [ifEqual(arches[arch], 1, 0), jump(rules.length), ...rules]
}

/** What is done for this call; it must end in an answer. */
const when = (call: number, then: readonly Instruction[]): readonly Instruction[] => [
  ifEqual(call, 0, then.length),
  ...then,
]

const modeRefused = (index: number): readonly Instruction[] => [
  argument(index),
  ifAnyBit(setId, 0, 1),
  notPermitted,
  allow,
]

const firstRefused = (index: number): readonly Instruction[] => [
  argument(index),
  ifEqual(firstProcess, 0, 1),
  notPermitted,
  allow,
]

const familyRefused: readonly Instruction[] = [
  argument(0),
  ...families.flatMap((family) => [ifEqual(family, 0, 1), allow]),
  noSuchFamily,
]

const [first, second] = typing
const typingRefused: readonly Instruction[] = [
  argument(1),
  ifEqual(first, 1, 0),
  ifEqual(second, 0, 1),
  notPermitted,
  allow,
]
