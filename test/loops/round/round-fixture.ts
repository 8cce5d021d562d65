/** A round in memory: files, a maker and a checker that follow functions, a gate, and an executor that only counts. */

import { allowListGate, alwaysEscalate } from '../../../src/authority/index.ts'
import type { ActionLookup, Agents, Check, Gate, Ports } from '../../../src/engine/index.ts'
import { questionId } from '../../../src/engine/question-id.ts'
import type {
  Action,
  AgentContext,
  AgentReport,
  AgentTask,
  Amount,
  Level,
  Limits,
  Risk,
  RunId,
  RunState,
  ToolDescription,
} from '../../../src/loop/index.ts'
import type { LoopMemory, NewMemory } from '../../../src/loops/loop-ports.ts'
import { type RoundLoop, roundLoop } from '../../../src/loops/round/round-loop.ts'
import type { RoundSettings } from '../../../src/loops/round/round-settings.ts'
import type { RoundReport } from '../../../src/protocol/round/round-report.ts'
import { roundReportSchema } from '../../../src/protocol/round/round-report-schema.ts'
import { createFakeCertifier } from '../../../src/testing/fake-certifier.ts'
import {
  createWorld,
  type MemoryWorkspace,
  memoryWorkspace,
  type World,
} from '../../engine/fixture.ts'
import { withFiles } from '../with-files.ts'

export interface Scene {
  readonly prompt: string
  readonly files: Map<string, string>
  /** The one that a verdict needs. Empty for the maker. */
  readonly token: string
  readonly tools: readonly ToolDescription[]
  readonly call: AgentContext['callTool']
  readonly context: AgentContext
}

export type Said = string | Partial<AgentReport>
export type Player = (scene: Scene) => Said | Promise<Said>

export const verdict = (token: string, word: string, ...reasons: string[]): string =>
  `I looked at it.\n\`\`\`json\n${JSON.stringify({ token, verdict: word, reasons: reasons.map((text) => ({ text })) })}\n\`\`\``

export const pass: Player = ({ token }) => verdict(token, 'pass')

/** Changes a file, so that there is work to certify. */
export const fixSum: Player = ({ files }) => {
  files.set('src/sum.js', 'export const sum = (a, b) => a + b\n')
  return 'Fixed the sum.'
}

export interface RoundStory {
  readonly maker?: Player
  readonly checker?: Player
  readonly makerUsage?: Amount
  readonly checkerUsage?: Amount
  readonly level?: Level
  readonly settings?: Partial<RoundSettings>
  readonly gate?: Gate
  readonly perform?: (action: Action) => Promise<string>
  readonly find?: () => ActionLookup
  readonly limits?: Partial<Limits>
  readonly tools?: readonly ToolDescription[]
  /** Met: the check `test`. Default: always. */
  readonly check?: () => boolean
  readonly refusesToCertify?: boolean
  /** Its executor refuses files that are not certified, as those of a repository do. */
  readonly certifiedOnly?: boolean
  readonly memory?: LoopMemory
  /** The answer to the question. Default: none is given. */
  readonly answer?: string
}

export interface RoundWorld {
  readonly world: World
  readonly workspace: MemoryWorkspace
  readonly loop: RoundLoop
  readonly prompts: { readonly role: string; readonly task: AgentTask }[]
  readonly offered: Map<string, readonly string[]>
  readonly performed: Action[]
}

export function createRound(
  story: RoundStory,
  trees: MemoryWorkspace['trees'] = new Map(),
  files: Readonly<Record<string, string>> = {
    'src/sum.js': 'export const sum = (a, b) => a - b\n',
  },
): RoundWorld {
  const workspace = memoryWorkspace(files, trees)
  const prompts: RoundWorld['prompts'] = []
  const offered: RoundWorld['offered'] = new Map()
  const performed: Action[] = []
  const { level = 2, settings = {}, memory } = story
  const world = createWorld({
    workspace: withFiles(workspace),
    agents: createAgents(story, workspace, prompts, offered),
    tools: toTools(story, workspace),
    checks: { test: toCheck(story) },
    gate: story.gate ?? alwaysEscalate,
    actions: toActions(story, performed),
    outsideScope: async () => [],
    level,
    certifier: createFakeCertifier(() =>
      story.refusesToCertify === true
        ? { type: 'refused', refusals: [{ code: 'flaky', message: 'The check is flaky.' }] }
        : undefined,
    ),
  })
  const loop = roundLoop({
    name: 'test-loop',
    intent: 'Keep the sum right',
    version: '1',
    level,
    propose: { kind: 'commit' },
    now: () => world.clock.now(),
    ...settings,
    ports: { run: 'test-loop-1', ...(memory === undefined ? {} : { memory }), ...settings.ports },
  })
  return { world, workspace, loop, prompts, offered, performed }
}

export interface Played extends RoundWorld {
  readonly run: RunId
  readonly state: RunState
  /** The reports, in order: before and after a person decided. */
  readonly reports: readonly RoundReport[]
  readonly report: RoundReport
}

export async function playRound(story: RoundStory): Promise<Played> {
  const round = createRound(story)
  const { world, loop } = round
  const run = await world.start(loop, { workspace: '/memory', limits: story.limits ?? {} })
  const answering = story.answer === undefined ? undefined : answer(world, run, story.answer)
  await world.finish(run, loop)
  await answering?.()
  const reports = await reportsOf(world, run)
  const report = reports.at(-1)
  if (report === undefined) throw new Error('there is no report')
  return { ...round, run, state: await world.state(run), reports, report }
}

export async function reportsOf(world: World, run: RunId): Promise<readonly RoundReport[]> {
  const finished = await world.only(run, 'step-finished')
  return finished
    .filter(({ role }) => role === 'round-report')
    .map(({ result }) =>
      roundReportSchema.parse(result !== undefined && 'value' in result ? result.value : undefined),
    )
}

/** Answers the first question as soon as it is asked. Returns what ends it. */
export function answer(world: World, run: RunId, word: string): () => Promise<void> {
  let isOver = false
  const answering = (async () => {
    while (!isOver) {
      const asked = (await world.only(run, 'step-started')).find(({ question }) => question)
      if (asked !== undefined) {
        const question = questionId(asked.iteration, asked.step)
        await world.decide(run, { type: 'answer', question, answer: word })
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
  { maker = () => 'Made a report.', checker = pass, makerUsage, checkerUsage }: RoundStory,
  { files }: MemoryWorkspace,
  prompts: RoundWorld['prompts'],
  offered: RoundWorld['offered'],
): Agents {
  return {
    async work(role, task, context) {
      prompts.push({ role, task })
      const { prompt } = task
      const tools = await context.tools()
      offered.set(
        role,
        tools.map(({ name }) => name),
      )
      const isMaker = role === 'maker'
      const usage = (isMaker ? makerUsage : checkerUsage) ?? { tokens: 0, costMicros: 0 }
      context.spend(usage)
      // The last one: what the maker wrote comes before it.
      const token = [...prompt.matchAll(/"token": "([0-9a-f]{32})"/g)].at(-1)?.[1] ?? ''
      const scene = { prompt, files, token, tools, call: context.callTool, context }
      const said = await (isMaker ? maker : checker)(scene)
      return {
        status: 'done',
        text: '',
        usage,
        turns: 1,
        ...(typeof said === 'string' ? { text: said } : said),
      }
    },
  }
}

/** Tools that do what their names say, to the files in memory. */
const toTools = (
  { tools = [] }: RoundStory,
  { files }: MemoryWorkspace,
): NonNullable<Ports['tools']> => ({
  list: async () => tools,
  async call(name) {
    if (name === 'write') files.set('written.txt', 'by a tool')
    return { ok: true, output: `${name} was called` }
  },
})

const toCheck =
  ({ check = () => true }: RoundStory): Check =>
  async () =>
    check()
      ? { status: 'met', exitCode: 0, output: 'ok' }
      : { status: 'not-met', exitCode: 1, output: 'not ok' }

const toActions = (
  { perform = async () => 'created commit abc123', find, certifiedOnly = false }: RoundStory,
  performed: Action[],
): NonNullable<Ports['actions']> => ({
  async perform(action, _key, { certificate }) {
    if (certifiedOnly && certificate === undefined) throw new Error('not certified')
    performed.push(action)
    return { status: 'done', summary: await perform(action) }
  },
  find: async () => find?.() ?? { type: 'not-done' },
})

/** A memory that keeps what it is told, each key once. */
export function createTestMemory(facts: readonly string[] = []): LoopMemory & {
  readonly recorded: readonly NewMemory[]
} {
  const recorded: NewMemory[] = []
  return {
    recorded,
    recall: async ({ limit }) => ({
      memories: facts
        .slice(0, limit)
        .map((text, index) => ({ id: `fact-${index}`, text, source: 'loop:test-loop', atMs: 1 })),
    }),
    async record(memory) {
      if (recorded.every(({ key }) => key !== memory.key)) recorded.push(memory)
      return {}
    },
  }
}

const tool = (name: string, risk: Risk): ToolDescription => ({
  name,
  risk,
  description: 'a tool for tests',
  parameters: { type: 'object' },
})

export const tools: readonly ToolDescription[] = [
  tool('read', 'read-only'),
  tool('write', 'destructive'),
  tool('web', 'network'),
  tool('format', 'idempotent'),
]

export const notVerified = 'checker did not verify the work'

export const commits: Gate = allowListGate({ allow: ['commit'] })
