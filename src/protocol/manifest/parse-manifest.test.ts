import { expect, test } from 'vitest'
import type { Manifest } from './manifest.ts'
import { parseManifest } from './parse-manifest.ts'

const least = {
  workloadId: 'fields',
  artifactPaths: ['prompt.md'],
  casePaths: ['cases/*.txt'],
  runCommand: 'node run.mjs {case} {output}',
  outputPath: 'out/{name}.json',
  evaluateCommand: 'node score.mjs {output}',
}

const manifestOf = (value: object): Manifest => {
  const parsed = parseManifest(JSON.stringify(value))
  if (parsed.type === 'valid') return parsed.manifest
  throw new Error(parsed.problems.join('\n'))
}

const problemsOf = (value: unknown): readonly string[] => {
  const parsed = parseManifest(typeof value === 'string' ? value : JSON.stringify(value))
  return parsed.type === 'invalid' ? parsed.problems : []
}

test('the fields of the protocol suffice, and the rest has defaults', () => {
  expect(manifestOf(least)).toEqual({
    ...least,
    agents: { composer: { promptFile: 'COMPOSER_PROMPT.md' } },
    domainDocs: [],
    maxIterations: 10,
    cacheStrategy: 'smart',
    repeats: {},
    split: { focus: [], guards: [], exclude: [] },
    timeouts: { runMs: 60_000, evaluateMs: 60_000, buildMs: 600_000 },
    costPerCaseMicros: 0,
    knobs: {},
    tags: [],
  })
})

test('every field can be set', () => {
  const manifest = manifestOf({
    ...least,
    $schema: 'https://example.com/manifest.schema.json',
    expectedPaths: ['expected/{name}.json'],
    evaluateCommand: 'diff {output} {expected}',
    reviewCommand: 'node review.mjs {output}',
    agents: { composer: { promptFile: 'c.md' }, reviewer: { promptFile: 'r.md' } },
    domainDocs: ['docs/a.md'],
    maxIterations: 3,
    buildCommand: 'make',
    cacheStrategy: 'force',
    repeats: { baseline: 4, proof: 5 },
    split: {
      holdout: 0.25,
      seed: 's',
      focus: ['cases/a.txt'],
      guards: ['cases/b.txt'],
      exclude: [{ cases: 'cases/c.txt', reason: 'unreadable' }],
    },
    timeouts: { run: '2s', evaluate: '3s', build: '4s' },
    concurrency: 4,
    costPerCase: 0.002,
    knobs: {
      heat: { type: 'number', text: 'heat = {value}', min: 0, max: 1, step: 0.1 },
      tone: { type: 'choice', file: 'prompt.md', text: 'Tone: {value}', values: ['a', 'b'] },
      strict: { type: 'toggle', text: 'strict: {value}', on: 'yes', off: 'no' },
      rule: { type: 'text', text: 'Rule: {value}', variants: ['x', 'y'] },
    },
    tags: ['#needs-loop'],
  })
  expect(manifest).toMatchObject({
    timeouts: { runMs: 2000, evaluateMs: 3000, buildMs: 4000 },
    costPerCaseMicros: 2000,
    repeats: { baseline: 4, proof: 5 },
  })
  expect(manifest).not.toHaveProperty('$schema')
  expect(Object.keys(manifest.knobs)).toEqual(['heat', 'tone', 'strict', 'rule'])
})

test.each<[string, object, string]>([
  ['an unknown field', { ...least, casePath: [] }, 'did you mean casePaths?'],
  ['no cases', { ...least, casePaths: [] }, '$.casePaths: the list is empty'],
  ['a path outside', { ...least, artifactPaths: ['../secret'] }, '$.artifactPaths[0]'],
  ['an absolute path', { ...least, artifactPaths: ['/etc/passwd'] }, '$.artifactPaths[0]'],
  ['a glob outside', { ...least, casePaths: ['cases/../../*'] }, '$.casePaths[0]'],
  ['a glob that never ends', { ...least, casePaths: ['*'.repeat(400)] }, 'too complex'],
  ['an output outside', { ...least, outputPath: '../{case}' }, '$.outputPath'],
  [
    'a command without its case',
    { ...least, runCommand: 'node run.mjs' },
    'does not contain {case}',
  ],
  ['a NUL', { ...least, runCommand: 'a \0 {case}' }, 'NUL'],
  [
    'nothing that judges',
    { ...least, evaluateCommand: undefined },
    '$.evaluateCommand: nothing judges the outputs',
  ],
  [
    'an expected output that does not exist',
    { ...least, evaluateCommand: 'diff {output} {expected}' },
    'there is no expectedPaths',
  ],
  [
    'a knob without a place',
    { ...least, knobs: { a: { type: 'toggle', text: 'x', on: '1', off: '0' } } },
    '$.knobs.a.text: it needs {value} exactly once',
  ],
  [
    'a knob in another file',
    { ...least, knobs: { a: { type: 'toggle', file: 'b', text: '{value}', on: '1', off: '0' } } },
    '$.knobs.a.file: it needs file: one of prompt.md',
  ],
  [
    'a knob whose range is empty',
    { ...least, knobs: { a: { type: 'number', text: '{value}', min: 1, max: 1 } } },
    '$.knobs.a.max: it has to be above min',
  ],
])('%s is refused, and the message says where', (_what, value, message) => {
  expect(problemsOf(value).join('\n')).toContain(message)
})

test('an expected output is not needed, and it can be all that judges', () => {
  const { evaluateCommand: _evaluate, ...rest } = least
  expect(
    manifestOf({ ...rest, expectedPaths: ['expected/*.json'] }).evaluateCommand,
  ).toBeUndefined()
})

test('hostile text is refused', () => {
  expect(problemsOf('{"workloadId": ')).toEqual([expect.stringContaining('it is not JSON')])
  expect(problemsOf('[]').join()).toContain('found a list')
  expect(problemsOf(`${'[['.repeat(50_000)}${']]'.repeat(50_000)}`)).toEqual([
    expect.stringContaining('levels deep'),
  ])
  expect(problemsOf(' '.repeat(2 * 1024 ** 2)).join()).toContain('1 MB is the limit')
  expect(
    problemsOf(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`x${at}`, 1]))),
  ).toHaveLength(21)
})
