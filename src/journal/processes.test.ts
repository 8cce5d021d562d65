// What only real processes show. The children run the built journal, as `npm test` builds it first.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../engine/index.ts'
import { createOwnerId, localOwners } from '../system/index.ts'
import { note, writeRun } from '../testing/write-run.ts'
import { openStore } from './open-store.ts'

const built = resolve(import.meta.dirname, '../../dist/journal/index.js')
const builtSystem = resolve(import.meta.dirname, '../../dist/system/index.js')
const builtLoop = resolve(import.meta.dirname, '../../dist/loop/index.js')

let folder: string
let path: string
let journal: Store
const children: ChildProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-processes-'))
  path = join(folder, 'journal.db')
  journal = openStore({ owners: localOwners, path })
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await journal.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A process with the same journal open as `journal`; resolves when it has done its work. */
async function startChild(work: string): Promise<ChildProcess> {
  const code = `
    const { openStore } = await import(${JSON.stringify(built)})
    const { createOwnerId, localOwners } = await import(${JSON.stringify(builtSystem)})
    const { initialState } = await import(${JSON.stringify(builtLoop)})
    const journal = openStore({ owners: localOwners, path: ${JSON.stringify(path)} })
    setInterval(() => undefined, 1000)
    ${work}
    console.log('done')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  await once(child.stdout, 'data')
  return child
}

describe('another process', () => {
  test('L1: that holds a run is not replaced while it lives, and at once when it was killed', async () => {
    const { run } = await writeRun(journal)
    const child = await startChild(`await journal.acquire(${JSON.stringify(run)}, createOwnerId())`)
    await expect(journal.acquire(run, createOwnerId())).rejects.toMatchObject({
      code: 'run-busy',
      message: expect.stringContaining(`process ${child.pid}`),
    })
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect((await journal.acquire(run, createOwnerId())).fence).toBe(2)
  })

  test('is seen when it writes an event or a decision', async () => {
    const { run } = await writeRun(journal)
    const seen = Promise.all(
      (['events', 'decisions'] as const).map(
        (topic) => new Promise<void>((notice) => journal.watch(topic, notice)),
      ),
    )
    const decision = JSON.stringify({ type: 'cancel', reason: 'from afar' })
    await startChild(`await journal.recordDecision(${JSON.stringify(run)}, ${decision}, 'bob', 5)`)
    await seen
    expect(await journal.pendingDecisions(run)).toMatchObject([
      { by: 'bob', decision: { type: 'cancel', reason: 'from afar' } },
    ])
  })

  test('E1: that was killed right after an acknowledgement leaves what it wrote', async () => {
    const { run } = await writeRun(journal)
    const child = await startChild(`
      const lease = await journal.acquire(${JSON.stringify(run)}, createOwnerId())
      const state = { ...initialState, status: 'running', seq: 4 }
      const events = ['a', 'b', 'c'].map((message) => ({ type: 'warning', code: 'n', message }))
      await journal.append(lease, { firstSeq: 2, atMs: 1, events, state, blobs: [], trees: [] })`)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect((await journal.read(run)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
    expect(await journal.integrityProblems()).toEqual([])
  })

  test('and this one write to separate runs in one file', async () => {
    const mine = await writeRun(journal, { name: 'mine' })
    const theirs = await writeRun(journal, { name: 'theirs' })
    const child = await startChild(`
      const lease = await journal.acquire(${JSON.stringify(theirs.run)}, createOwnerId())
      const write = async () => {
        for (let seq = 2; seq <= 101; seq++) {
          const events = [{ type: 'warning', code: 'n', message: String(seq) }]
          const state = { ...initialState, status: 'running', seq }
          await journal.append(lease, { firstSeq: seq, atMs: 1, events, state, blobs: [], trees: [] })
        }
        process.exit()
      }
      void write()`)
    const exited = once(child, 'exit')
    for (let n = 0; n < 100; n++) await mine.write(note())
    await exited
    for (const { run } of [mine, theirs]) {
      const seqs = (await journal.read(run)).map(({ seq }) => seq)
      expect(seqs).toEqual(Array.from({ length: 101 }, (_, index) => index + 1))
    }
    expect(await journal.integrityProblems()).toEqual([])
  })
})
