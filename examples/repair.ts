/**
 * A maker edits code until the project's own test passes. The maker here is scripted, since a fresh
 * machine has no model: it tries a few edits in turn, and claims success for each. Its claim counts
 * for nothing; the test decides.
 */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Agents,
  captureProgress,
  commandCheck,
  type LoopType,
  renderProgress,
  type SystemProgress,
} from 'loopwright'
import type { Example } from './example.ts'

interface Result {
  readonly iteration: number
  readonly claim: string
  readonly output: string
}

const repair: LoopType<{ goal: string }, { prompt: string }, SystemProgress, Result> = {
  name: 'repair',
  createContext: ({ goal }, previous) => ({ prompt: `${goal}\n\n${renderProgress(previous)}` }),
  async iterate({ prompt }, it) {
    const report = await it.agent('maker', { prompt })
    const [test] = await it.check(['test'])
    return { iteration: it.number, claim: report.text, output: test?.output ?? '' }
  },
  extractProgress: ({ iteration, output }, previous) =>
    captureProgress(previous, { iteration, text: output }),
  until: [{ type: 'checks-pass' }, { type: 'no-progress', iterations: 3 }],
}

const edits = ['return a - b', 'return a * b', 'return a + b']

/** Takes the edit that the number of iterations in its prompt calls for. */
function scriptedMaker(workspace: string): Agents {
  return {
    async work(_role, task, context) {
      const reservation = await context.reserve({ tokens: 2000, costMicros: 6000 })
      const file = join(workspace, 'sum.js')
      const code = await readFile(file, 'utf8')
      const tried = task.prompt.match(/^## Iteration/gm)?.length ?? 0
      const edit = edits[Math.min(tried, edits.length - 1)] ?? ''
      await writeFile(file, code.replace(/return .*/, edit))
      const usage = { tokens: 900 + tried * 100, costMicros: 2700 }
      await reservation.settle(usage)
      return { status: 'done', text: `All tests pass now: ${edit}`, usage, turns: 1 }
    },
  }
}

export const repairExample: Example = {
  loop: repair,
  input: { goal: 'Make the test of sum.js pass.' },
  limits: { iterations: 10 },
  files: {
    'package.json': '{ "type": "module" }\n',
    'sum.js': 'export function sum(a, b) {\n  return a\n}\n',
    'sum.test.js': [
      "import assert from 'node:assert/strict'",
      "import { test } from 'node:test'",
      "import { sum } from './sum.js'",
      '',
      "test('two and three make five', () => assert.equal(sum(2, 3), 5))",
      '',
    ].join('\n'),
  },
  parts: (workspace = '.') => ({
    agents: scriptedMaker(workspace),
    checks: { test: commandCheck(process.execPath, ['--test', 'sum.test.js']) },
  }),
}
