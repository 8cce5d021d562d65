import { describe, expect, test } from 'vitest'
import { seccompFilter } from './seccomp-filter.ts'

const x64 = 0xc000003e
const ia32 = 0x40000003
const arm64 = 0xc00000b7

/** What the kernel would answer: a small machine for the five instructions that there are. */
function ask(machine: string, arch: number, call: number, ...args: readonly number[]): string {
  const program = Buffer.from(seccompFilter('cgroup', machine) ?? [])
  const data = [call, arch, 0, 0, ...args.flatMap((low) => [low, 0])]
  let value = 0
  for (let at = 0; at < program.length / 8; at++) {
    const code = program.readUInt16LE(8 * at)
    const constant = program.readUInt32LE(8 * at + 4)
    const branch = (isTrue: boolean): void => {
      at += program.readUInt8(8 * at + (isTrue ? 2 : 3))
    }
    if (code === 0x20) value = data[constant / 4] ?? 0
    else if (code === 0x15) branch(value === constant)
    else if (code === 0x35) branch(value >= constant)
    else if (code === 0x45) branch((value & constant) !== 0)
    else if (code === 0x05) at += constant
    else if (code === 0x06) return answers[constant] ?? `${constant}`
    else throw new Error(`no such instruction: ${code}`)
  }
  throw new Error('it runs off its end')
}

const answers: Readonly<Record<number, string>> = {
  0x7fff0000: 'allowed',
  0x50001: 'not permitted',
  0x50026: 'no such call',
  0x50061: 'no such family',
}

describe.each([
  [
    'x64',
    x64,
    {
      keyctl: 250,
      read: 0,
      openat: 257,
      fchmod: 91,
      ioctl: 16,
      socket: 41,
      trace: [101, 310, 311],
    },
  ],
  [
    'x64',
    ia32,
    {
      keyctl: 288,
      read: 3,
      openat: 295,
      fchmod: 94,
      ioctl: 54,
      socket: 359,
      trace: [26, 347, 348],
    },
  ],
  [
    'arm64',
    arm64,
    {
      keyctl: 219,
      read: 63,
      openat: 56,
      fchmod: 52,
      ioctl: 29,
      socket: 198,
      trace: [117, 270, 271],
    },
  ],
] as const)('on %s, for calls of %i', (machine, arch, calls) => {
  const of = (call: number, ...args: readonly number[]): string => ask(machine, arch, call, ...args)

  test('what is ordinary is allowed, and keys are not', () => {
    expect(of(calls.read, 0, 0, 10)).toBe('allowed')
    expect(of(calls.keyctl, 0)).toBe('not permitted')
    expect(of(425)).toBe('no such call')
    expect(of(437)).toBe('no such call')
  })

  test('modes are looked at where a file is made, and nowhere else', () => {
    expect(of(calls.fchmod, 3, 0o755)).toBe('allowed')
    expect(of(calls.fchmod, 3, 0o4755)).toBe('not permitted')
    expect(of(calls.openat, 0, 0, 0o101, 0o2755)).toBe('not permitted')
    expect(of(calls.openat, 0, 0, 0o101, 0o644)).toBe('allowed')
    expect(of(calls.openat, 0, 0, 0o2, 0o7777)).toBe('allowed')
    expect(of(452, 0, 0, 0o4000)).toBe('not permitted')
  })

  test('typing into a terminal is refused, other requests are not', () => {
    expect(of(calls.ioctl, 0, 0x5412)).toBe('not permitted')
    expect(of(calls.ioctl, 0, 0x541c)).toBe('not permitted')
    expect(of(calls.ioctl, 0, 0x5413)).toBe('allowed')
  })

  test('sockets that no namespace holds are refused', () => {
    expect([1, 2, 10, 16].map((family) => of(calls.socket, family))).toEqual(
      Array.from({ length: 4 }, () => 'allowed'),
    )
    expect([17, 31, 38, 40].map((family) => of(calls.socket, family))).toEqual(
      Array.from({ length: 4 }, () => 'no such family'),
    )
  })

  test('the first process is neither traced nor read nor written, and all others may be', () => {
    const [trace, ...memory] = calls.trace
    expect(of(trace, 16, 1)).toBe('not permitted')
    expect(memory.map((call) => of(call, 1))).toEqual(['not permitted', 'not permitted'])
    expect(of(trace, 1, 2)).toBe('allowed')
    expect(memory.map((call) => of(call, 2, 1))).toEqual(['allowed', 'allowed'])
    expect(of(438, 3, 0)).toBe('no such call')
  })

  test('calls of another kind are none', () => {
    expect(ask(machine, 0xdeadbeef, calls.read)).toBe('no such call')
  })
})

test('the other numbers of x64 are none either', () => {
  expect(ask('x64', x64, 0x40000000 + 250)).toBe('no such call')
})

test('there is none for a processor that is not known', () => {
  expect(seccompFilter('cgroup', 'riscv64')).toBeUndefined()
})
