import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from './database.ts'
import { encodeEvent } from './event-code.ts'
import { migrations } from './migrations.ts'
import { openStore } from './open-store.ts'
import { migrate } from './schema.ts'

const ask = (iteration: number, name: string) =>
  ({
    type: 'step-started',
    iteration,
    step: `ask:${name}#1`,
    attempt: 1,
    kind: 'ask',
    wakeAtMs: 5000,
    question: { text: `${name}?`, default: 'no' },
  }) as never

const event = (fields: object): never => fields as never
const begin = (iteration: number): never => event({ type: 'iteration-started', iteration })
const answered = (iteration: number, name: string): never =>
  event({ type: 'step-finished', iteration, step: `ask:${name}#1`, attempt: 1 })
const ended = (iteration: number, type: string): never =>
  event({ type: 'iteration-ended', iteration, ending: { type } })

test('questions that were open in an older journal are in the inbox, and no others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-questions-'))
  const path = join(folder, 'journal.db')
  const database = openDatabase(path, 'NORMAL')
  migrate(database, path, migrations.slice(0, 3))
  const runs: readonly (readonly [status: string, events: readonly never[]])[] = [
    ['waiting', [begin(1), ask(1, 'open'), ask(1, 'answered'), answered(1, 'answered')]],
    ['suspended', [begin(1), ask(1, 'kept'), ended(1, 'interrupted')]],
    ['running', [begin(1), ask(1, 'over'), ended(1, 'continue'), begin(2)]],
    [
      'waiting',
      [begin(1), ask(1, 'first'), event({ type: 'iteration-restarted', iteration: 1, reason: '' })],
    ],
    ['completed', [begin(1), ask(1, 'ended')]],
  ]
  let position = 0
  for (const [index, [status, events]] of runs.entries()) {
    database
      .prepare("INSERT INTO runs VALUES (?, ?, ?, 'x', ?, 0, NULL, 1)")
      .run(index + 1, `id-${index}`, `run-${index}`, status)
    for (const [place, one] of events.entries()) {
      const { code, body } = encodeEvent(one)
      database
        .prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)')
        .run(++position, index + 1, place + 1, 1000 + place, code, body)
    }
  }
  database.close()
  const journal = openStore({ path })
  const questions = await journal.questions({ limit: 10 })
  expect(questions.map(({ name, id }) => [name, id])).toEqual([
    ['run-0', '1/ask:open#1'],
    ['run-1', '1/ask:kept#1'],
  ])
  expect(questions[0]).toMatchObject({ question: { text: 'open?' }, deadlineAtMs: 5000 })
  await journal.close()
  rmSync(folder, { recursive: true })
})
