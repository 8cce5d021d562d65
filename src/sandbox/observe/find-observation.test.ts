import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSandbox } from '../open-sandbox.ts'
import { findObservation, type ObservationTrial } from './find-observation.ts'

async function trial(changes: Partial<ObservationTrial> = {}): Promise<ObservationTrial> {
  const folder = await mkdtemp(join(tmpdir(), 'loopwright-observe-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const sandbox = await openSandbox()
  return { folder, overlay: sandbox.overlay, createCommands: sandbox.commands, ...changes }
}

test('nothing is observed without overlays, for the same reason', async () => {
  const reason = 'There are none.'
  const found = await findObservation(
    await trial({ overlay: async () => ({ mode: 'copy', reason }) }),
  )
  expect(found).toEqual({ reads: 'none', writes: 'none', reason })
})

test('the reason for a failed overlay is the last line of its error output', async () => {
  const result = {
    ended: 'exited',
    exitCode: 32,
    stdout: '',
    outputBytes: 9,
    durationMs: 1,
  } as const
  const stderr = 'mount: wrong fs type\n'
  const found = await findObservation(
    await trial({ createCommands: () => ({ run: async () => ({ ...result, stderr }) }) }),
  )
  expect(found).toMatchObject({ writes: 'none', reason: expect.stringMatching(/wrong fs type\.$/) })
})

test('writes are observed even if reads are not', async () => {
  const watch: ObservationTrial['watch'] = async () => ({
    stop: async () => undefined,
    problem: 'ffi-rs is not installed.',
  })
  const withoutReads = await trial({ watch })
  const { mode } = await withoutReads.overlay()
  const { reads, writes, reason } = await findObservation(withoutReads)
  expect(reads).toBe('none')
  expect(writes).toBe(mode === 'overlay' ? 'overlay' : 'none')
  expect(mode !== 'overlay' || reason.includes('ffi-rs')).toBe(true)
})

test('observation is tried once per folder, and leaves no files', async () => {
  const { folder } = await trial()
  const [one, two] = [await openSandbox(), await openSandbox()]
  const found = await one.observes(folder)
  expect(await two.observes(folder)).toBe(found)
  expect(await readdir(folder)).toEqual([])
  const { mode } = await one.overlay()
  expect(found.writes).toBe(mode === 'overlay' ? 'overlay' : 'none')
})
