/** A build in memory: files, a maker and a reviewer that follow functions, and a check. Only the agents are scripted. */

import type { Agents, Check, Workspace } from '../../../src/engine/index.ts'
import type { AgentReport, Json, RunId, RunState } from '../../../src/loop/index.ts'
import { buildLoop } from '../../../src/loops/build/build-loop.ts'
import type { BuildProgress } from '../../../src/loops/build/build-progress.ts'
import type { BuildSettings } from '../../../src/loops/build/build-session.ts'
import { completionDefaults } from '../../../src/loops/build/completion-hint.ts'
import {
  createWorld,
  type MemoryWorkspace,
  memoryWorkspace,
  type World,
} from '../../engine/fixture.ts'

export const planPath = 'specs/planning/shop-plan.md'

export interface Scene {
  readonly iteration: number
  readonly prompt: string
  readonly files: Map<string, string>
  /** The number of the task in the prompt; 0: none. */
  readonly task: number
}

export type Maker = (scene: Scene) => string | Partial<AgentReport>
/** `token`: the one that a verdict needs. Returns the whole answer. */
export type Reviewer = (scene: Omit<Scene, 'files'> & { readonly token: string }) => string

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
  const world = createWorld({
    workspace: withFiles(workspace),
    agents: createAgents(story, workspace, prompts),
    checks: { test: toCheck(story, workspace) },
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
  await world.finish(run, loop)
  const state = await world.state(run)
  return { ...build, run, state, progress: state.progress as unknown as BuildProgress }
}

function createAgents(
  { maker = writeTask, reviewer = approve }: BuildStory,
  { files }: MemoryWorkspace,
  prompts: BuildWorld['prompts'],
): Agents {
  return {
    async work(role, { prompt }, { iteration, spend }) {
      prompts.push({ role, prompt })
      const usage = { tokens: 10, costMicros: 5 }
      spend(usage)
      const task = Number(/^## Your task \((\d+) of/m.exec(prompt)?.[1] ?? 0)
      const token = /"token": "([0-9a-f]{32})"/.exec(prompt)?.[1] ?? ''
      const made =
        role === 'maker'
          ? maker({ iteration, prompt, files, task })
          : reviewer({ iteration, prompt, task, token })
      const said = typeof made === 'string' ? { text: made } : made
      return { status: 'done', text: '', usage, turns: 1, ...said }
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

/** What a real workspace offers besides. */
function withFiles(workspace: MemoryWorkspace): Workspace {
  const { files, trees } = workspace
  const changes: NonNullable<Workspace['changes']> = async (before, after) => {
    const [from, to] = [before, after].map((tree) => new Map(trees.get(tree) ?? []))
    return [...new Set([...(from?.keys() ?? []), ...(to?.keys() ?? [])])]
      .filter((path) => from?.get(path) !== to?.get(path))
      .toSorted()
  }
  return {
    ...workspace,
    changes,
    async patch(before, after) {
      const [from, to] = [before, after].map((tree) => new Map(trees.get(tree) ?? []))
      const lines = (text: string | undefined, sign: string): string[] =>
        (text ?? '')
          .split('\n')
          .filter(Boolean)
          .map((line) => `${sign}${line}`)
      return (await changes(before, after))
        .flatMap((path) => [
          `--- a/${path}`,
          ...lines(from?.get(path), '-'),
          ...lines(to?.get(path), '+'),
        ])
        .join('\n')
    },
    readText: async (path) => files.get(path),
    async writeText(path, text) {
      files.set(path, text)
    },
  }
}
