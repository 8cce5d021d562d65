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
const noOutput = { stdout: '', outputBytes: 0, durationMs: 0, ended: 'exited' } as const
const trial = (changes: Partial<OverlayTrial> = {}): OverlayTrial => ({
  tier: 'strong',
  backend: { type: 'bubblewrap', bubblewrap },
  variables: [],
  createCommands: () => ({
    run: async () => ({ ...noOutput, exitCode: 1, stderr: 'mount: wrong fs type, bad option' }),
  }),
  ...changes,
})

test('dependencies are copied without a strong sandbox', async () => {
  expect(await findOverlay(trial({ tier: 'none', backend: undefined }))).toMatchObject({
    mode: 'copy',
    reason: expect.stringContaining('tier strong'),
  })
})

test('dependencies are read-only with scratch folders without mount programs, or if the trial fails', async () => {
  const tools = findOverlayTools((name) => (name === 'unshare' ? undefined : `/bin/${name}`))
  expect(tools).toBeUndefined()
  const without = {
    type: 'bubblewrap',
    bubblewrap: { ...bubblewrap, overlayTools: tools },
  } as const
  expect(await findOverlay(trial({ backend: without }))).toMatchObject({
    mode: 'scratch',
    fix: 'Install util-linux.',
  })
  expect(await findOverlay(trial())).toMatchObject({
    mode: 'scratch',
    reason: expect.stringMatching(/fails these probes|wrong fs type/),
  })
})

test('an overlay is not used if the sandbox fails its self-test with it', async () => {
  const createCommands: OverlayTrial['createCommands'] = () => ({
    run: async ({ args }) => {
      const isTrial = args.join(' ').includes('node_modules')
      const all = Array.from({ length: 26 }, (_, index) => `${index} 0\n`).join('')
      return { ...noOutput, exitCode: 0, stderr: '', stdout: isTrial ? 'ok\n' : all }
    },
  })
  expect(await findOverlay(trial({ createCommands }))).toMatchObject({
    mode: 'scratch',
    reason: expect.stringContaining('"read an SSH key"'),
  })
})

test('the overlay is tried once per process', async () => {
  const [one, two] = [await openSandbox(), await openSandbox()]
  const found = await one.overlay()
  expect(await two.overlay()).toBe(found)
  expect(found.reason).not.toBe('')
})
