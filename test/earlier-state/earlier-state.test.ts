/**
 * A state folder that an earlier version wrote: it opens, lists, resumes, replays and verifies. Its journal is
 * stored as SQL and its other files as text (state.json), so that a change to them can be read.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadDriver } from '../../src/journal/database.ts'
import { ctl, endOf, eventsOf, type Place } from '../e2e/loop-fixture.ts'

const stored = JSON.parse(readFileSync(join(import.meta.dirname, 'state.json'), 'utf8')) as {
  readonly journal: readonly string[]
  readonly files: Readonly<Record<string, string>>
}

const complete = stored.journal.join('\n').match(/'([\w-]+)','fix'/)?.[1] ?? ''
const killed = stored.journal.join('\n').match(/'([\w-]+)','slow'/)?.[1] ?? ''

let folder: string
let at: Place

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-earlier-'))
  for (const [path, text] of Object.entries(stored.files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 })
    // The other files are signed, or named by their digest.
    const isPlain = path === 'st/trust.json' || path.startsWith('st/runs/')
    const moved = isPlain ? text.replaceAll('/home/user/sums', folder) : text
    writeFileSync(join(folder, path), moved, { mode: 0o600 })
  }
  const state = join(folder, 'st')
  const database = new (loadDriver())(join(state, 'journal.db'))
  database.exec(stored.journal.join('\n').replaceAll('@FOLDER@', folder))
  database.close()
  at = { state, work: join(folder, 'p'), file: join(folder, 'fix.yaml') }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a state folder that an earlier version wrote', () => {
  test('lists its runs', async () => {
    const { stdout } = await ctl(at, 'list')
    expect(stdout).toMatch(new RegExp(`^${killed} +interrupted +0 +slow `, 'm'))
    expect(stdout).toMatch(new RegExp(`^${complete} +completed +1 +fix `, 'm'))
  })

  test('shows an iteration', async () => {
    const shown = JSON.parse((await ctl(at, '--json', 'show', complete)).stdout)
    expect(shown).toMatchObject({ iteration: 1, filesChanged: ['sum.js'] })
  })

  test('verifies a certificate', async () => {
    const verified = await ctl(at, 'verify', complete)
    expect(verified).toMatchObject({ code: 0, stderr: '' })
    expect(verified.stdout).toContain('valid: signed by a trusted key')
  })

  test('replays a run', async () => {
    const replayed = await ctl(at, 'replay', complete)
    expect(replayed).toMatchObject({ code: 0 })
    expect(replayed.stdout).toContain(`the same as ${complete}`)
  })

  test('resumes a run that was killed inside a step: only that step runs again', async () => {
    const resumed = await ctl(at, '--json', 'resume', killed)
    expect(endOf(resumed)).toMatchObject({ outcome: { type: 'completed' } })
    expect(eventsOf(resumed, 'iteration-restarted')).toEqual([])
    const started = eventsOf(resumed, 'step-started').map(({ step, attempt }) => [step, attempt])
    expect(started.filter(([step]) => step === 'prompt#1')).toEqual([])
    expect(started[0]).toEqual(['agent:maker#1', 2])
  })
})
