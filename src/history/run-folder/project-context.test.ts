import { expect, test } from 'vitest'
import { type Json, stepId } from '../../loop/index.ts'
import { initialFoldState, type OpenIteration } from './fold-state.ts'
import { projectStep, type StepChange } from './project-step.ts'

const step = stepId('', 'any name', 1)
const open: OpenIteration = {
  iteration: 3,
  startedAtMs: 0,
  exitCode: 0,
  bytes: 0,
  lines: 0,
  steps: { [step]: 1000 },
}
const project = (role: string, type: 'step-started' | 'step-finished', result?: Json) => {
  const event = {
    type,
    iteration: 3,
    step,
    attempt: 1,
    kind: 'step',
    role,
  } as unknown as StepChange
  const { rows = [], changes = [] } = projectStep(
    { ...initialFoldState, open },
    event,
    2500,
    result,
  )
  return { rows, changes }
}

test('a step that measures becomes rows, metrics, a summary and an entry of the log', () => {
  expect(project('measure', 'step-started').rows).toMatchObject([{ kind: 'MEASURE_START' }])
  const measured = { exitCode: 0, metrics: { ms: 12 }, output: 'ok' }
  const { rows, changes } = project('measure', 'step-finished', measured)
  expect(rows).toEqual([
    {
      atMs: 2500,
      iteration: 3,
      kind: 'MEASURE_END',
      durationMs: 1500,
      exitCode: 0,
      outputPath: 'metrics/iter-03.json',
    },
    {
      atMs: 2500,
      iteration: 3,
      kind: 'ITERATION_SUMMARY',
      outputPath: 'summaries/iter-03.md',
    },
  ])
  const summary =
    '## Iteration 3\nMeasured in 1.5 s, exit code 0.\n```json\n{\n  "ms": 12\n}\n```\n\nIt printed:\n> ok\n'
  expect(changes).toEqual([
    { type: 'put', path: 'metrics/iter-03.json', text: '{\n  "ms": 12\n}\n' },
    { type: 'put', path: 'summaries/iter-03.md', text: summary },
    { type: 'append', path: 'experiment-log.md', text: `${summary}\n` },
  ])
  const failed = { exitCode: null, metrics: null, problem: 'the metrics are not JSON', output: '' }
  expect(project('measure', 'step-finished', failed).rows).toMatchObject([
    { exitCode: 1, message: 'the metrics are not JSON' },
    { kind: 'ITERATION_SUMMARY' },
  ])
})

test('steps that find and choose skills become the legacy events', () => {
  const found = {
    type: 'found',
    skills: [{ name: 'style', dir: '.claude/skills' }],
    problems: ['x/SKILL.md: bad'],
  }
  const rows = (result: Json): readonly (readonly [string, unknown])[] =>
    project('skills', 'step-finished', result).rows.map(({ kind, message = '' }) => [
      kind,
      JSON.parse(message),
    ])
  expect(rows(found)).toEqual([
    ['SKILLS_DISCOVERED', { count: 1, locations: ['.claude/skills'], names: ['style'] }],
    ['SKILLS_LOAD_FAILED', { reason: 'x/SKILL.md: bad' }],
  ])
  const chosen = {
    type: 'chosen',
    agent: 'maker',
    task: '1. Sort',
    strategy: 'hint',
    skills: [{ name: 'style', reason: '@style' }],
    problems: [],
    failed: [{ name: 'gone', reason: 'is gone' }],
    cut: [{ name: 'style', charsMax: 20 }],
    text: '',
  }
  expect(rows(chosen)).toEqual([
    [
      'SKILLS_SELECTED',
      {
        step_kind: 'implementation',
        task_label: '1. Sort',
        skills: [{ name: 'style', reason: '@style' }],
        strategy: 'hint',
        errors: [],
      },
    ],
    ['SKILLS_LOAD_FAILED', { name: 'gone', reason: 'is gone' }],
    ['SKILLS_TRUNCATED', { name: 'style', max_chars: 20 }],
  ])
})
