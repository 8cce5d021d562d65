import { expect, test } from 'vitest'
import type { Bubblewrap } from './bubblewrap-launch.ts'
import { findOverlay, type OverlayTrial } from './find-overlay.ts'
import { openSandbox } from './open-sandbox.ts'
import { findOverlayTools } from './overlay-stage.ts'

const bubblewrap: Bubblewrap = {
  bwrap: '/usr/bin/bwrap',
  cgroups: undefined,
  limits: 'rlimit',
  relay: '',
  node: process.execPath,
  filter: new Uint8Array(),
  overlayTools: { unshare: 'unshare', sh: 'sh', mount: 'mount', mkdir: 'mkdir' },
}
const nothing = { stdout: '', outputBytes: 0, durationMs: 0, ended: 'exited' } as const
const trial = (changes: Partial<OverlayTrial> = {}): OverlayTrial => ({
  tier: 'strong',
  walls: { type: 'bubblewrap', bubblewrap },
  given: [],
  commandsIn: () => ({
    run: async () => ({ ...nothing, exitCode: 1, stderr: 'mount: wrong fs type, bad option' }),
  }),
  ...changes,
})

test('without a strong sandbox dependencies are copied', async () => {
  expect(await findOverlay(trial({ tier: 'none', walls: undefined }))).toMatchObject({
    mode: 'copy',
    reason: expect.stringContaining('tier strong'),
  })
})

test('without the programs that mount, or where the trial fails, they are read-only with scratch folders', async () => {
  const tools = findOverlayTools((name) => (name === 'unshare' ? undefined : `/bin/${name}`))
  expect(tools).toBeUndefined()
  const without = {
    type: 'bubblewrap',
    bubblewrap: { ...bubblewrap, overlayTools: tools },
  } as const
  expect(await findOverlay(trial({ walls: without }))).toMatchObject({
    mode: 'scratch',
    fix: 'Install util-linux.',
  })
  expect(await findOverlay(trial())).toMatchObject({
    mode: 'scratch',
    reason: expect.stringMatching(/does not hold|wrong fs type/),
  })
})

test('an overlay over which the sandbox does not hold is not used', async () => {
  const commandsIn: OverlayTrial['commandsIn'] = () => ({
    run: async ({ args }) => {
      const isTrial = args.join(' ').includes('node_modules')
      const all = Array.from({ length: 26 }, (_, index) => `${index} 0\n`).join('')
      return { ...nothing, exitCode: 0, stderr: '', stdout: isTrial ? 'ok\n' : all }
    },
  })
  expect(await findOverlay(trial({ commandsIn }))).toMatchObject({
    mode: 'scratch',
    reason: expect.stringContaining('"read an SSH key"'),
  })
})

test('what is found here is found once', async () => {
  const [one, two] = [await openSandbox(), await openSandbox()]
  const found = await one.overlay()
  expect(await two.overlay()).toBe(found)
  expect(found.reason).not.toBe('')
})
