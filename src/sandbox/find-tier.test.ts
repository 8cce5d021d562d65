import { describe, expect, test } from 'vitest'
import type { Commands } from '../engine/index.ts'
import { FaultError } from '../loop/index.ts'
import { type DetectedSandbox, findTier, type Machine } from './find-tier.ts'
import { openSandbox } from './open-sandbox.ts'
import { probes } from './probes.ts'

/** A machine that has all programs; nothing is started on it. */
const machine = (more: Partial<Machine> = {}): Machine => ({
  platform: 'linux',
  uid: 1000,
  node: '/usr/bin/node',
  toolchains: { mounts: ['/usr'], links: [], env: { PATH: '/usr/bin' } },
  findProgram: (name) => `/usr/bin/${name}`,
  openCgroups: () => undefined,
  ...more,
})

const good = probes.map(({ expect: expected }) => (expected === 'works' ? 0 : 1))

/** Commands whose probes exit with these codes. */
const probesExitingWith = (codes: readonly (number | undefined)[]): Commands => ({
  run: async () => ({
    stdout: codes
      .flatMap((code, index) => (code === undefined ? [] : [`${index} ${code}\n`]))
      .join(''),
    stderr: '',
    ended: 'exited',
    exitCode: 0,
    durationMs: 1,
    outputBytes: 1,
  }),
})

const find = (
  one: Machine,
  commands: Commands = probesExitingWith(good),
): Promise<DetectedSandbox> => findTier(one, () => commands)

describe('the tier', () => {
  test('is strong if all probes pass', async () => {
    const { report, backend } = await find(machine())
    expect(report).toMatchObject({ tier: 'strong', limits: 'rlimit' })
    expect(report.probes).toHaveLength(26)
    expect(backend?.type).toBe('bubblewrap')
  })

  test('is none without bubblewrap, with the reason and the fix', async () => {
    const findProgram = (name: string): string | undefined =>
      name === 'bwrap' ? undefined : `/usr/bin/${name}`
    const { report, backend } = await find(machine({ findProgram }))
    expect(report).toMatchObject({ tier: 'none', reason: expect.stringContaining('bubblewrap') })
    expect(report.fix).toContain('apt-get install bubblewrap')
    expect(backend).toBeUndefined()
  })

  test('is none for root without control groups', async () => {
    const { report } = await find(machine({ uid: 0 }))
    expect(report).toMatchObject({ tier: 'none', reason: expect.stringContaining('root') })
    expect(report.fix).toContain('ordinary user')
  })

  test('is none if a single probe fails, and names the probe', async () => {
    for (const [index, { name }] of probes.entries()) {
      const codes = good.map((code, at) => (at === index ? 1 - code : code))
      const { report, backend } = await find(machine(), probesExitingWith(codes))
      expect(report.tier).toBe('none')
      expect(report.reason).toContain(name)
      expect(backend).toBeUndefined()
    }
  })

  test('does not need git, but needs every probe of the isolation', async () => {
    const missing = (name: RegExp): Commands =>
      probesExitingWith(
        good.map((code, index) => (name.test(probes[index]?.name ?? '') ? 127 : code)),
      )
    expect((await find(machine(), missing(/^git /))).report.tier).toBe('strong')
    expect((await find(machine(), missing(/SSH/))).report.tier).toBe('none')
  })

  test('is none if the probes print nothing', async () => {
    expect((await find(machine(), probesExitingWith([]))).report.tier).toBe('none')
  })

  test('is none if nothing can be started, and suggests a fix', async () => {
    const message = 'creating the sandbox failed: bwrap: setting up uid map: Permission denied'
    const run = (): Promise<never> =>
      Promise.reject(new FaultError({ code: 'sandbox-failed', message, retryable: false }))
    const { report } = await find(machine(), { run })
    expect(report.reason).toContain('uid map')
    expect(report.fix).toContain('AppArmor')
  })

  test('is at most basic on a Mac, and none on other platforms', async () => {
    const mac = await find(machine({ platform: 'darwin' }))
    expect(mac.report).toMatchObject({ tier: 'basic', limits: 'none' })
    expect((await find(machine({ platform: 'win32' }))).report.tier).toBe('none')
  })
})

test('a sandbox that is too weak is rejected, with the reason and the fix', async () => {
  const without = machine({ findProgram: () => undefined })
  await expect(openSandbox({ machine: without, requireTier: 'strong' })).rejects.toMatchObject({
    code: 'not-available',
    message: expect.stringMatching(/"strong".*"none".*bubblewrap.*apt-get/),
  })
  expect((await openSandbox({ machine: without })).report.tier).toBe('none')
})

test('the current machine is tested once', async () => {
  const [one, other] = await Promise.all([openSandbox(), openSandbox()])
  expect(one.report).toBe(other.report)
})
