import { expect, test } from 'vitest'
import type { Commands } from '../../engine/index.ts'
import { cursorText, readCursor } from './cursor.ts'
import type { SandboxMessage, SurveyJob } from './messages.ts'
import { runSandboxed } from './run-sandboxed.ts'

const job: SurveyJob = {
  type: 'survey',
  root: '/nonexistent',
  files: [],
  tests: [],
  probes: 0,
  preload: [],
  testTimeoutMs: 1,
  deadlineMs: 1,
}

const saying = (...chunks: readonly (string | Uint8Array)[]): Commands => ({
  async run(command) {
    for (const chunk of chunks) command.onOutput?.(Buffer.from(chunk), 'stdout')
    const ended = { ended: 'exited', exitCode: 0, durationMs: 1, outputBytes: 0 } as const
    return { ...ended, stdout: '', stderr: 'Error: it broke' }
  },
})

const { signal } = new AbortController()

test('foreign output is ignored, also in pieces', async () => {
  const said: SandboxMessage[] = []
  const commands = saying(
    'debug output\n{"type":"found","edit":',
    '3}\n{"type":"found","edit":-1}\n{"type":"found"}\n[1]\nnull\n\u0000\n',
    Buffer.from([0xff, 0xfe, 0x0a]),
    '{"type":"tried","upTo":1e99,"hung":0}\n{"type":"end","next":4,"hung":0}\n{"type":"found","edit":9}\n',
  )
  await runSandboxed(job, { commands, signal, onMessage: (one) => said.push(one) })
  expect(said).toEqual([
    { type: 'found', edit: 3 },
    { type: 'end', next: 4, hung: 0 },
  ])
})

test('an end without a report is a fault, with the last output', async () => {
  const running = runSandboxed(job, {
    commands: saying('{}\n'),
    signal,
    onMessage: () => undefined,
  })
  await expect(running).rejects.toThrow('it broke')
})

test('a cursor counts only for the list of edits that it was made for', () => {
  const prompt = `> ${cursorText('0123456789ab', 40)}\n> ${cursorText('ffffffffffff', 90)} [repair x 5]`
  expect(readCursor(prompt, '0123456789ab')).toBe(40)
  expect(readCursor(prompt, 'aaaaaaaaaaaa')).toBe(0)
})
