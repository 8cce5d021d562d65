import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { CheckContext } from '../../engine/index.ts'
import type { Observation, OpenCheck } from '../../evidence/index.ts'
import type { OpenedCheckout } from '../../workspace/index.ts'
import { findObservable, type ObservedPlace, withFileAccess } from './with-file-access.ts'

const observation: Observation = {
  result: { status: 'met', output: '' },
  runners: [],
  problems: [],
  replaced: [],
  startedAtMs: 1,
  endedAtMs: 2,
}
const context: CheckContext = {
  workspace: undefined,
  iteration: 1,
  signal: new AbortController().signal,
  attempt: 1,
  spend: () => undefined,
  reserve: async () => ({ settle: async () => undefined }),
  work: () => Promise.reject(new Error('no agents')),
  callTool: () => Promise.reject(new Error('no tools')),
}

function createPlace(changes: Partial<ObservedPlace['observes']> = {}): {
  readonly place: ObservedPlace
  read(name: string): void
} {
  const path = mkdtempSync(join(tmpdir(), 'loopwright-observed-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  for (const folder of ['.git', 'node_modules', 'src']) {
    mkdirSync(join(path, folder))
    writeFileSync(join(path, folder, 'file'), '')
  }
  const opened: OpenedCheckout = {
    path,
    readOnly: [],
    reset: async () => {},
    written: async () => [],
    writes: async () => ['out/file'],
    remove: async () => {},
  }
  const observes = { reads: process.platform === 'linux', writes: true, reason: '', ...changes }
  const layer = { mounts: [{ from: '/layer', to: 'node_modules' }] }
  return {
    place: { opened, layer, observes },
    read: (name) => void readFileSync(join(path, name)),
  }
}

const check = (observe: () => Promise<Observation>): OpenCheck => ({
  name: 'test',
  kind: 'command',
  run: async () => observation.result,
  observe,
  command: [],
  toolDigest: '',
  existing: 'fix',
  outputs: [],
  names: [],
})

test('an observed run reports which files of the tree it read and which it wrote', async () => {
  const { place, read } = createPlace()
  const observed = withFileAccess(
    check(async () => {
      for (const folder of ['.git', 'node_modules', 'src']) read(`${folder}/file`)
      return observation
    }),
    place,
  )
  expect(await observed.observe?.(context)).toEqual({
    ...observation,
    ...(place.observes.reads ? { read: ['src/file'] } : {}),
    written: ['out/file'],
  })
})

test('without support for reads, they are absent; an error of the run is passed on', async () => {
  const { place } = createPlace({ reads: false })
  const observed = withFileAccess(
    check(async () => observation),
    place,
  )
  expect(await observed.observe?.(context)).not.toHaveProperty('read')
  const failing = withFileAccess(
    check(async () => Promise.reject(new Error('it broke'))),
    createPlace().place,
  )
  await expect(failing.observe?.(context)).rejects.toThrow('it broke')
})

test('without a sandbox nothing is observed', async () => {
  expect(await findObservable('none', tmpdir())).toMatchObject({ reads: false, writes: false })
})
