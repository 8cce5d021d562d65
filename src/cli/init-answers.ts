/** The answers that `init` needs: from options, from prompts, and defaults for the rest. */

import type { AgentCandidate } from '../launch/agents/find-agents.ts'
import type { InspectedFolder } from '../launch/init/inspect-folder.ts'
import type { DraftLimits, LoopDraft } from '../launch/init/loop-text.ts'
import { type Json, LoopError } from '../loop/index.ts'
import { type GivenChecks, namedChecks } from './check-option.ts'
import { visible } from './display/render.ts'
import { noCheck } from './inline-loop.ts'

export interface InitFound {
  readonly project: InspectedFolder
  readonly agents: readonly AgentCandidate[]
}

export interface InitGiven {
  readonly agent?: string
  readonly check?: GivenChecks
  /** The task, as text. */
  readonly task?: string
}

type LoopText = typeof import('../launch/init/loop-text.ts')

const isNode = ({ stacks }: InspectedFolder): boolean => stacks.some(({ name }) => name === 'node')

/** The first that is ready; else one that only lacks its key. */
export function defaultAgent({ agents, project }: InitFound): string {
  const find = (kind: AgentCandidate['kind'], state: AgentCandidate['state']) =>
    agents.find((one) => one.kind === kind && one.state === state)?.name
  return (
    find('program', 'ready') ??
    find('model', 'ready') ??
    find('program', 'no-key') ??
    (isNode(project) ? 'repair' : 'claude')
  )
}

/** What to do before the agent can work, in a sentence; undefined: nothing. */
export function describeMissing(
  name: string,
  agents: readonly AgentCandidate[],
): string | undefined {
  const found = agents.find((one) => one.name === name)
  if (found === undefined || found.state === 'ready') return undefined
  if (found.state === 'missing') return `${name} is not installed. Run: loopctl agents add ${name}`
  return `${name} has no key. Set ${found.keyVariable ?? 'it'}, or put it into the key file (loopctl doctor shows where).`
}

/** Asks nothing. */
export async function defaultAnswers(found: InitFound, given: InitGiven): Promise<LoopDraft> {
  const { defaultTask, initLimits, parseAgent } = await import('../launch/init/loop-text.ts')
  const checks = await namedChecks(given.check ?? found.project.checks)
  if (Object.keys(checks).length === 0) throw noCheck(found.project.folder)
  return {
    agent: parseAgent(given.agent ?? defaultAgent(found)),
    checks,
    task: given.task ?? defaultTask,
    limits: initLimits,
  }
}

/** Undefined: the user pressed Ctrl-C. */
export async function askAnswers(
  found: InitFound,
  given: InitGiven,
): Promise<LoopDraft | undefined> {
  const [clack, text] = await Promise.all([
    import('@clack/prompts'),
    import('../launch/init/loop-text.ts'),
  ])
  const agent = given.agent === undefined ? await askAgent(clack, text, found) : given.agent
  if (agent === undefined) return undefined
  const written = typeof agent === 'string' ? text.parseAgent(agent) : agent
  const checks = given.check ?? (await askChecks(clack, found.project))
  if (checks === undefined) return undefined
  const task = given.task ?? (await askTask(clack, text))
  if (task === undefined) return undefined
  const limits = written === 'repair' ? text.initLimits : await askLimits(clack, text)
  if (limits === undefined) return undefined
  return { agent: written, checks: await namedChecks(checks), task, limits }
}

type Clack = typeof import('@clack/prompts')

async function askAgent(
  { select, isCancel, text: ask }: Clack,
  { parseAgent }: LoopText,
  found: InitFound,
): Promise<Json | undefined> {
  const hints: Record<AgentCandidate['state'], (one: AgentCandidate) => string> = {
    ready: ({ kind }) =>
      kind === 'built-in' ? 'small fixes in JavaScript, without a model' : 'ready',
    'no-key': ({ keyVariable }) => `${keyVariable} is not set`,
    missing: ({ name }) => `not installed: loopctl agents add ${name}`,
  }
  const shown = found.agents.filter(({ kind, state }) => kind !== 'model' || state === 'ready')
  const options = shown.flatMap((one) => [
    labelled(one.name, one.name, hints[one.state](one)),
    ...(one.kind === 'program' && one.state === 'no-key' ? [ownLogin(one.name)] : []),
  ])
  const picked = await select({
    message: 'Which agent should do the work?',
    initialValue: defaultAgent(found),
    options: [...options, labelled('', 'other', 'provider/model, or a command')],
  })
  if (isCancel(picked)) return undefined
  if (picked.startsWith('login:')) return { program: picked.slice(6), subscription: true }
  if (picked !== '') return picked
  const other = await ask({
    message: 'Which one?',
    placeholder: 'openai/gpt-5, or my-agent --headless',
    validate: (value) => problemOf(() => parseAgent(value ?? '')),
  })
  return isCancel(other) ? undefined : parseAgent(other)
}

/** Users with a subscription have no key. */
const ownLogin = (name: string): Labelled =>
  labelled(`login:${name}`, `${name}, own login`, 'runs outside the sandbox, only while you watch')

interface Labelled {
  readonly value: string
  readonly label: string
}

const labelled = (value: string, name: string, about: string): Labelled => ({
  value,
  label: `${name.padEnd(26)} ${about}`,
})

function problemOf(parse: () => unknown): string | undefined {
  try {
    parse()
    return undefined
  } catch (error) {
    return error instanceof LoopError ? error.message : String(error)
  }
}

async function askChecks(
  { isCancel, multiselect, text: ask }: Clack,
  { checks }: InspectedFolder,
): Promise<GivenChecks | undefined> {
  const other = '\u0000'
  let picked: readonly string[] = [other]
  if (checks.length > 0) {
    const chosen = await multiselect({
      message: 'Which checks decide that the work is done?',
      initialValues: checks.map(({ name }) => name),
      options: [
        ...checks.map(({ name, command }) => ({
          value: name,
          label: visible(command),
          hint: name,
        })),
        { value: other, label: 'other command' },
      ],
    })
    if (isCancel(chosen)) return undefined
    picked = chosen
  }
  const taken: GivenChecks = checks.filter(({ name }) => picked.includes(name))
  if (!picked.includes(other)) return taken
  const command = await ask({
    message: 'Which command decides that the work is done?',
    placeholder: 'make test',
    validate: (value) =>
      (value ?? '').trim() === '' ? 'Enter a command, such as make test.' : undefined,
  })
  return isCancel(command) ? undefined : [...taken, { command: command.trim() }]
}

async function askTask(
  { isCancel, text: ask }: Clack,
  { defaultTask }: LoopText,
): Promise<string | undefined> {
  const task = await ask({
    message: 'What should the agent do?',
    placeholder: defaultTask,
    defaultValue: defaultTask,
  })
  return isCancel(task) ? undefined : task
}

async function askLimits(
  { isCancel, text: ask }: Clack,
  { initLimits }: LoopText,
): Promise<DraftLimits | undefined> {
  const usual = String(initLimits.cost)
  const cost = await ask({
    message: 'How many dollars may one run cost at most?',
    placeholder: usual,
    defaultValue: usual,
    validate: (value) =>
      /^(\d{1,6}(\.\d{1,2})?)?$/.test(value ?? '')
        ? undefined
        : 'Enter a number of dollars, such as 2.50.',
  })
  return isCancel(cost) ? undefined : { ...initLimits, cost: Number(cost) }
}
