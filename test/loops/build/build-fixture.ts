/** A build in memory: files, a maker and a reviewer that follow functions, and a check. Only the agents are scripted. */

import type { Agents, Check } from '../../../src/engine/index.ts'
import { questionId } from '../../../src/engine/question-id.ts'
import type { AgentNote, AgentReport, Json, RunId, RunState } from '../../../src/loop/index.ts'
import { buildLoop } from '../../../src/loops/build/build-loop.ts'
import type { BuildProgress } from '../../../src/loops/build/build-progress.ts'
import type { BuildSettings } from '../../../src/loops/build/build-session.ts'
import { completionDefaults } from '../../../src/loops/build/completion-hint.ts'
import { createFakeCertifier } from '../../../src/testing/fake-certifier.ts'
import {
  createWorld,
  type MemoryWorkspace,
  memoryWorkspace,
  type World,
} from '../../engine/fixture.ts'
import { withFiles } from '../with-files.ts'

export const planPath = 'specs/planning/shop-plan.md'

export interface Scene {
  readonly iteration: number
  readonly prompt: string
  readonly files: Map<string, string>
  /** The number of the task in the prompt; 0: none. */
  readonly task: number
  note(note: AgentNote): void
}

export type Maker = (scene: Scene) => string | Partial<AgentReport>
/** `token`: the one that a verdict needs. Returns the whole answer. */
export type Reviewer = (scene: Omit<Scene, 'files' | 'note'> & { readonly token: string }) => string

export const verdict = (token: string, word: string, ...reasons: string[]): string =>
  `I read the files.\n\`\`\`json\n${JSON.stringify({ token, verdict: word, reasons: reasons.map((text) => ({ text })) })}\n\`\`\``

export const approve: Reviewer = ({ token }) => verdict(token, 'pass')

/** Writes a file for the task of its prompt. */
export const writeTask: Maker = ({ task, files }) => {
  files.set(`src/task-${task}.js`, `export const task = ${task}\n`)
  return `Implemented task ${task}.`
}

export interface BuildStory {
  readonly maker?: Maker
  readonly reviewer?: Reviewer
  readonly plan?: string
  readonly spec?: string
  readonly files?: Readonly<Record<string, string>>
  readonly settings?: Partial<BuildSettings>
  /** Met: the check `test`. Default: always. */
  readonly check?: (files: ReadonlyMap<string, string>) => boolean | string
  readonly iterations?: number
  /** How the reviewer ends, besides its answer. */
  readonly reviewerReport?: Partial<AgentReport>
  /** The answer to each question. Default: none is given. */
  readonly answer?: string
  /** The check failed before the run. */
  readonly failedBefore?: boolean
  /** The first certification is refused. */
  readonly refuseOnce?: boolean
}

export const tasks = (count: number): string =>
  `# Plan\n\n${Array.from({ length: count }, (_, index) => `- [ ] Write part ${index + 1}`).join('\n')}\n`

export interface BuildWorld {
  readonly world: World
  readonly workspace: MemoryWorkspace
  readonly prompts: { readonly role: string; readonly prompt: string }[]
  readonly input: Json
  readonly loop: ReturnType<typeof buildLoop>
}

export function createBuild(
  story: BuildStory,
  trees: MemoryWorkspace['trees'] = new Map(),
  files: Readonly<Record<string, string>> | undefined = story.files,
): BuildWorld {
  const { plan = tasks(3), spec = '# Shop\n', settings = {} } = story
  const workspace = memoryWorkspace(files ?? {}, trees)
  const prompts: BuildWorld['prompts'] = []
  let refused = false
  const world = createWorld({
    workspace: withFiles(workspace),
    agents: createAgents(story, workspace, prompts),
    checks: { test: toCheck(story, workspace) },
    ...(story.failedBefore === true && {
      preflight: {
        prepare: async () => undefined,
        tryChecks: async () => ({ checks: [{ check: 'test', answer: 'fails', durationMs: 5 }] }),
      },
    }),
    certifier: createFakeCertifier(() => {
      if (story.refuseOnce !== true || refused) return undefined
      refused = true
      return {
        type: 'refused',
        refusals: [{ code: 'fails-clean', message: 'It fails in a clean checkout.' }],
      }
    }),
  })
  const loop = buildLoop({
    name: 'shop',
    version: '1',
    review: { failures: 3 },
    verification: { failures: 3 },
    watchdog: { rewrites: 2 },
    completion: completionDefaults,
    contextFiles: [],
    until: [{ type: 'checks-pass' }],
    ...settings,
  })
  const input = {
    spec: { path: 'specs/shop.md', text: spec },
    ...(plan === '' ? {} : { plan: { path: planPath, text: plan } }),
  }
  return { world, workspace, prompts, input, loop }
}

export interface Played extends BuildWorld {
  readonly run: RunId
  readonly state: RunState
  readonly progress: BuildProgress
}

export async function playBuild(story: BuildStory): Promise<Played> {
  const build = createBuild(story)
  const { world, loop, input } = build
  const run = await world.start(loop, {
    input,
    workspace: '/memory',
    limits: { iterations: story.iterations ?? 30 },
  })
  const answering = story.answer === undefined ? undefined : answerAll(world, run, story.answer)
  await world.finish(run, loop)
  await answering?.()
  const state = await world.state(run)
  return { ...build, run, state, progress: state.progress as unknown as BuildProgress }
}

/** Answers the first question as soon as it is asked. Returns what ends it. */
function answerAll(world: World, run: RunId, answer: string): () => Promise<void> {
  let isOver = false
  const answering = (async () => {
    while (!isOver) {
      const asked = (await world.only(run, 'step-started')).find(
        ({ question }) => question !== undefined,
      )
      if (asked !== undefined) {
        const question = questionId(asked.iteration, asked.step)
        await world.decide(run, { type: 'answer', question, answer })
        return
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  return async () => {
    isOver = true
    await answering
  }
}

function createAgents(
  { maker = writeTask, reviewer = approve, reviewerReport = {} }: BuildStory,
  { files }: MemoryWorkspace,
  prompts: BuildWorld['prompts'],
): Agents {
  return {
    async work(role, { prompt }, { iteration, note, spend }) {
      prompts.push({ role, prompt })
      const usage = { tokens: 10, costMicros: 5 }
      spend(usage)
      const task = Number(/^## Your task \((\d+) of/m.exec(prompt)?.[1] ?? 0)
      // The last one: what the maker wrote comes before it.
      const token = [...prompt.matchAll(/"token": "([0-9a-f]{32})"/g)].at(-1)?.[1] ?? ''
      const made =
        role === 'maker'
          ? maker({ iteration, prompt, files, task, note })
          : reviewer({ iteration, prompt, task, token })
      const said = typeof made === 'string' ? { text: made } : made
      const ended = role === 'reviewer' ? reviewerReport : {}
      return { status: 'done', text: '', usage, turns: 1, ...said, ...ended }
    },
  }
}

const toCheck =
  ({ check = () => true }: BuildStory, { files }: MemoryWorkspace): Check =>
  async () => {
    const found = check(files)
    return found === true
      ? { status: 'met', exitCode: 0, output: 'ok' }
      : { status: 'not-met', exitCode: 1, output: found === false ? 'not ok' : found }
  }
