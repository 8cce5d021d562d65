import { expect, test } from 'vitest'
import type { InboxQuestion } from '../client/index.ts'
import type { RunId, TreeId } from '../loop/index.ts'
import { renderInbox } from './inbox.ts'
import { createStyle, type Terminal } from './terminal.ts'

const terminal: Terminal = {
  live: false,
  asks: false,
  style: createStyle(false),
  width: () => 80,
}

test('a question is listed with the checks and the diff that it is based on', () => {
  const asked: InboxQuestion = {
    id: '2/ask:escalation#1',
    run: { id: 'r1' as RunId, name: 'brave-owls-jump' },
    askedAtMs: 0,
    deadlineAtMs: 60_000,
    question: {
      text: 'Continue?',
      options: ['guidance', 'terminate'],
      default: 'terminate',
      evidence: {
        happened: ['2 iterations changed no file.'],
        checks: [
          { check: 'test', status: 'not-met', output: 'expected 1\u001b[2J\nfound 2\n' },
          { check: 'lint', status: 'met' },
        ],
        diff: { base: 'git:a' as TreeId, tree: 'git:b' as TreeId, files: 1 },
      },
    },
  }
  const text = renderInbox([asked], { terminal }, 0)
  expect(text).toContain('   check test: not-met\n     > expected 1')
  expect(text).toContain('     > found 2\n   check lint: met\n')
  expect(text).toContain('   1 changed file: loopctl diff brave-owls-jump\n')
  expect(text).not.toContain('\u001b[2J')
})
