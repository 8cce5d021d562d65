import { describe, expect, test } from 'vitest'
import { seccompFilter } from './seccomp-filter.ts'

const x64 = 0xc000003e
const ia32 = 0x40000003
const arm64 = 0xc00000b7

/** Evaluates the filter like the kernel: an interpreter for the instructions that it uses. */
function evaluate(machine: string, arch: number, call: number, ...args: readonly number[]): string {
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
    else if (code === 0x06) return results[constant] ?? `${constant}`
    else throw new Error(`unknown instruction: ${code}`)
  }
  throw new Error('the filter ended without a result')
}

const results: Readonly<Record<number, string>> = {
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
  const resultOf = (call: number, ...args: readonly number[]): string =>
    evaluate(machine, arch, call, ...args)

  test('ordinary calls are allowed, keyrings are not', () => {
    expect(resultOf(calls.read, 0, 0, 10)).toBe('allowed')
    expect(resultOf(calls.keyctl, 0)).toBe('not permitted')
    expect(resultOf(425)).toBe('no such call')
    expect(resultOf(437)).toBe('no such call')
  })

  test('the mode is checked only where a call sets it', () => {
    expect(resultOf(calls.fchmod, 3, 0o755)).toBe('allowed')
    expect(resultOf(calls.fchmod, 3, 0o4755)).toBe('not permitted')
    expect(resultOf(calls.openat, 0, 0, 0o101, 0o2755)).toBe('not permitted')
    expect(resultOf(calls.openat, 0, 0, 0o101, 0o644)).toBe('allowed')
    expect(resultOf(calls.openat, 0, 0, 0o2, 0o7777)).toBe('allowed')
    expect(resultOf(452, 0, 0, 0o4000)).toBe('not permitted')
  })

  test('faking terminal input is denied, other requests are allowed', () => {
    expect(resultOf(calls.ioctl, 0, 0x5412)).toBe('not permitted')
    expect(resultOf(calls.ioctl, 0, 0x541c)).toBe('not permitted')
    expect(resultOf(calls.ioctl, 0, 0x5413)).toBe('allowed')
  })

  test('sockets that no namespace isolates are denied', () => {
    expect([1, 2, 10, 16].map((family) => resultOf(calls.socket, family))).toEqual(
      Array.from({ length: 4 }, () => 'allowed'),
    )
    expect([17, 31, 38, 40].map((family) => resultOf(calls.socket, family))).toEqual(
      Array.from({ length: 4 }, () => 'no such family'),
    )
  })

  test('only the first process cannot be traced, read or written', () => {
    const [trace, ...memory] = calls.trace
    expect(resultOf(trace, 16, 1)).toBe('not permitted')
    expect(memory.map((call) => resultOf(call, 1))).toEqual(['not permitted', 'not permitted'])
    expect(resultOf(trace, 1, 2)).toBe('allowed')
    expect(memory.map((call) => resultOf(call, 2, 1))).toEqual(['allowed', 'allowed'])
    expect(resultOf(438, 3, 0)).toBe('no such call')
  })

  test('calls of another architecture do not exist', () => {
    expect(evaluate(machine, 0xdeadbeef, calls.read)).toBe('no such call')
  })
})

test('x32 calls do not exist', () => {
  expect(evaluate('x64', x64, 0x40000000 + 250)).toBe('no such call')
})

test('there is no filter for an unknown architecture', () => {
  expect(seccompFilter('cgroup', 'riscv64')).toBeUndefined()
})
