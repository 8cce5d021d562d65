import { expect, test } from 'vitest'
import type { FileLook } from '../observe/observation.ts'
import type { OpenCheck } from '../parts.ts'
import type { BaseResult } from './base-answers.ts'
import { reportConcerns } from './report-concerns.ts'
import type { CheckRun } from './run-checks.ts'

const check: OpenCheck = {
  name: 'test',
  kind: 'command',
  run: () => Promise.reject(new Error('not run here')),
  command: ['npm', 'test'],
  toolDigest: 'npm',
  existing: 'fix',
  outputs: [],
  names: [],
}

const ran = (looked: readonly FileLook[]): CheckRun => ({
  check,
  result: { status: 'met', output: '' },
  startedAtMs: 0,
  endedAtMs: 1,
  answers: ['met'],
  observation: {
    result: { status: 'met', output: '' },
    runners: [],
    problems: [],
    replaced: [],
    looked,
    startedAtMs: 0,
    endedAtMs: 1,
  },
})

const concernsOf = (
  looked: readonly FileLook[],
  onBase: readonly FileLook[] = [],
): readonly string[] => {
  const base: BaseResult = {
    status: 'not-met',
    runners: [],
    problems: [],
    replaced: [],
    looked: onBase,
    signature: '',
    durationMs: 1,
  }
  return reportConcerns({
    own: [ran([])],
    alone: [ran(looked)],
    bases: new Map([['test', base]]),
    evidence: {},
    isWork: (path) => path === 'src/sum.js',
    isTest: (path) => path === 'test' || path === 'test/sum.test.js',
  }).map(({ code, message }) => `${code} ${message.split('\n').slice(1).join(' ')}`)
}

test('code of the work that opens tests is asked about', () => {
  const look = { by: 'src/sum.js', at: 'test/sum.test.js' }
  expect(concernsOf([look])).toEqual(['reads-tests - src/sum.js looks at test/sum.test.js'])
  expect(concernsOf([{ by: 'src/sum.js', at: 'test' }])).toHaveLength(1)
  expect(concernsOf([{ by: '(eval)', at: 'test' }])).toHaveLength(1)
  expect(concernsOf([{ by: 'src/sum.js', at: '*' }])).toHaveLength(1)
})

test('other files, other code, and code that did so on the base are not', () => {
  const look = { by: 'src/sum.js', at: 'test/sum.test.js' }
  expect(concernsOf([{ by: 'src/sum.js', at: 'test/data.json' }])).toEqual([])
  expect(concernsOf([{ by: 'test/sum.test.js', at: 'test/sum.test.js' }])).toEqual([])
  expect(concernsOf([look], [{ by: 'src/sum.js', at: 'test' }])).toEqual([])
})
