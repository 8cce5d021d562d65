/** A workload in memory: its commands are functions, and everything that was asked for is kept. */

import { createHash } from 'node:crypto'
import type { CommandRunner, Workspace } from '../../../src/engine/index.ts'
import type { Action, Limits, RecordedEvent } from '../../../src/loop/index.ts'
import type { CommandReport, CommandTask } from '../../../src/loop/step/command-task.ts'
import type { LoopPorts } from '../../../src/loops/loop-ports.ts'
import { tuneLoop } from '../../../src/loops/tune/tune-loop.ts'
import type { TuneSettings } from '../../../src/loops/tune/tune-session.ts'
import type { TuneState } from '../../../src/loops/tune/tune-state.ts'
import {
  createWorld,
  memoryWorkspace,
  type World,
  type WorldOptions,
  worldAfter,
} from '../../engine/fixture.ts'

export interface FakeWorkload {
  /** The text of `rules.txt`. */
  readonly rules: string
  readonly cases: readonly string[]
  /** Parts of the manifest. */
  readonly manifest?: object
  /** What the workload writes for a case. A report: what its command did instead. */
  run(rules: string, id: string, repeat: number): string | Partial<CommandReport>
  /** What the judge prints. Default: a pass if the output is "good". */
  judge?(output: string, id: string, repeat: number): string | Partial<CommandReport>
}

export interface TuneStory {
  readonly world: World
  readonly tasks: CommandTask[]
  readonly acted: Action[]
  readonly loop: ReturnType<typeof tuneLoop>
  readonly input: object
}

export const manifestOf = ({ manifest = {} }: Pick<FakeWorkload, 'manifest'>): string =>
  JSON.stringify({
    workloadId: 'fake',
    artifactPaths: ['rules.txt'],
    casePaths: ['cases/*'],
    runCommand: 'run {case} {output}',
    outputPath: 'out/{name}',
    evaluateCommand: 'judge {output}',
    maxIterations: 3,
    repeats: { baseline: 2, proof: 2 },
    knobs: {
      x: { type: 'choice', text: 'x={value}\n', values: ['1', '2', '3'] },
      y: { type: 'toggle', text: 'y={value}\n', on: 'on', off: 'off' },
    },
    ...manifest,
  })

/** The documents that a run wrote, by their names. */
export const documentsIn = (events: readonly RecordedEvent[]): ReadonlyMap<string, string> =>
  new Map(
    events.flatMap(({ event }) => {
      if (event.type !== 'step-finished' || event.role !== 'document') return []
      if (event.result === undefined || !('value' in event.result)) return []
      const { file, text } = event.result.value as { readonly file: string; readonly text: string }
      return [[file, text] as const]
    }),
  )

/** With a plan, the loop goes to the calibration at once. */
export const planText = `# Loop plan

## Hypotheses

1. The cases are processed correctly with the current artifacts.
   - Prediction: All cases pass.
`

export const settingsOf = (more: Partial<TuneSettings> = {}): TuneSettings => ({
  name: 'story',
  manifest: 'loop.manifest.json',
  mode: 'exploration',
  pick: 'policy',
  apply: 'kept',
  search: { passes: 3 },
  composer: 'search',
  models: false,
  isReviewed: false,
  ...more,
})

export function createTuneStory(
  workload: FakeWorkload,
  settings: Partial<TuneSettings> = {},
  past?: { readonly events: readonly RecordedEvent[]; readonly count: number },
  more: WorldOptions = {},
  /** Parts of the input. */
  given: object = {},
): {
  readonly story: Promise<TuneStory>
  readonly workspace: Workspace
  readonly files: Map<string, string>
} {
  const tasks: CommandTask[] = []
  const acted: Action[] = []
  const text = manifestOf(workload)
  const files = memoryWorkspace({ 'rules.txt': workload.rules, 'loop.manifest.json': text })
  const workspace = {
    ...files,
    readText: async (path: string) => files.files.get(path),
    async writeText(path: string, written: string) {
      files.files.set(path, written)
    },
  }
  const parts = {
    workspace,
    commands: runnerOf(workload, tasks),
    gate: { judge: async () => ({ type: 'allow' as const }) },
    actions: {
      async perform(action: Action) {
        acted.push(action)
        return { status: 'done' as const, summary: 'changed' }
      },
      find: async () => ({ type: 'not-done' as const }),
    },
    ...more,
  }
  const ports = { run: 'story', find: findIn(workload.cases) } as unknown as LoopPorts
  const loop = tuneLoop(settingsOf({ ports, ...settings }))
  const input = {
    manifest: { path: 'loop.manifest.json', text },
    plan: { path: 'LOOP_PLAN.md', text: planText },
    ...given,
  }
  const opened =
    past === undefined ? createWorld(parts) : worldAfter(past.events, past.count, parts)
  const story = Promise.resolve(opened).then((world) => ({ world, tasks, acted, loop, input }))
  return { story, workspace, files: files.files }
}

/** Outputs are on disk: they survive a crash. */
const contents = new Map<string, string>()

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const findIn =
  (cases: readonly string[]): NonNullable<LoopPorts['find']> =>
  async ({ patterns }) =>
    patterns.includes('cases/*')
      ? cases.map((id) => ({ path: `cases/${id}`, bytes: 1, digest: digestOf(id) }))
      : cases
          .filter((id) => patterns.includes(`cases/${id}`))
          .map((id) => ({ path: `cases/${id}`, bytes: 1, digest: digestOf(id) }))

function runnerOf(workload: FakeWorkload, tasks: CommandTask[]): CommandRunner {
  return {
    async run(task) {
      tasks.push(task)
      const { env = {}, files = {}, repeat = 1, output, outputCharsMax } = task
      const id = env['LOOP_NAME'] ?? ''
      if (output !== undefined) {
        const rules = files['rules.txt']
        const made = workload.run(
          rules !== undefined && 'text' in rules ? rules.text : '',
          id,
          repeat,
        )
        if (typeof made !== 'string') return { ...ok(''), ...made }
        contents.set(digestOf(made), made)
        const text = outputCharsMax === undefined ? {} : { text: made }
        return {
          ...ok(''),
          output: { blob: digestOf(made) as never, bytes: made.length, ...text },
        }
      }
      const judged = files[env['LOOP_OUTPUT'] ?? '']
      const text = judged !== undefined && 'blob' in judged ? (contents.get(judged.blob) ?? '') : ''
      const { judge = judgeGood } = workload
      const said = judge(text, id, repeat)
      return typeof said === 'string' ? ok(said) : { ...ok(''), ...said }
    },
  }
}

const judgeGood = (output: string): string =>
  JSON.stringify({ pass: output === 'good', critique: output === 'good' ? '' : 'it is bad' })

const ok = (stdout: string): CommandReport => ({
  ended: 'exited',
  exitCode: 0,
  stdout,
  stderr: '',
  durationMs: 1,
})

/** Every case is good with x=3 and y=on, and half of them with x=2. */
export const easy: FakeWorkload = {
  rules: 'x=1\ny=off\n',
  cases: ['a', 'b', 'c', 'd', 'e', 'f'],
  run(rules, id) {
    if (rules.includes('x=3') && rules.includes('y=on')) return 'good'
    return rules.includes('x=2') && 'abc'.includes(id) ? 'good' : 'bad'
  },
}

/** A whole run, with what it ended with. */
export async function playTune(
  workload: FakeWorkload,
  settings: Partial<TuneSettings> = {},
  more: WorldOptions = {},
  limits: Partial<Limits> = {},
) {
  const story = await createTuneStory(workload, settings, undefined, more).story
  const { world, loop, input } = story
  const run = await world.start(loop, { input: input as never, limits })
  await world.finish(run, loop)
  const { outcome, progress, spent } = await world.state(run)
  const state = progress as unknown as TuneState
  const documents = (await world.only(run, 'step-finished')).filter(
    ({ role }) => role === 'document',
  )
  const debrief = JSON.stringify(documents.find(({ step }) => step.startsWith('LOOP.md'))?.result)
  return { ...story, run, outcome, spent, state, debrief, events: await world.events(run) }
}
