/**
 * Tries an agent with a small task, from end to end: found, started behind the walls, led to its model, and
 * judged by a test that failed before. For `loopctl agents test`.
 *
 * Nothing is left when all went well. Else the run stays in the record and the files where they are, for
 * those who want to know more.
 */

import { agentProgram, isProgramName } from '../../agents/index.ts'
import { readLoopFile } from '../../definition/loop-file/index.ts'
import type { Inspection } from '../../history/inspect-run.ts'
import { defined, isLoopError, LoopError, zero } from '../../loop/index.ts'
import type { Runs } from '../../runs/runs.ts'
import { openSandbox } from '../../sandbox/index.ts'
import type { Environment } from '../../system/environment.ts'
import type { LaunchHost } from '../launch-host.ts'
import { acpProgram } from './acp-program.ts'
import { askVersion } from './ask-version.ts'
import { requireProgram } from './fetch-agent.ts'
import { findAgentProgram, howToGet } from './find-program.ts'
import { requireKey } from './model-key.ts'
import { chooseModel } from './program-model.ts'
import { type Finding, findingsOf, nothingSeen, see } from './trial-findings.ts'
import { makeTask, type TrialTask, trialLimits } from './trial-task.ts'

/** What a trial needs of a host. */
export interface TrialHost extends LaunchHost, Pick<Runs, 'start'> {
  inspect(run: string): Promise<Inspection>
  remove(run: string): Promise<unknown>
}

export interface TryAgentOptions {
  readonly environment?: Environment
  /** By ACP, where it speaks it. */
  readonly acp?: boolean
  readonly model?: string
  /** Somebody watches: weak walls will do. */
  readonly attended?: boolean
  readonly signal?: AbortSignal
  /** Told right before it is started: from now on it may spend. */
  readonly onStart?: () => void
  /** Told of each finding as it is made. */
  readonly onFinding?: (finding: Finding) => void
}

export interface AgentTrial {
  readonly agent: string
  /** The test passed. */
  readonly ok: boolean
  readonly findings: readonly Finding[]
  /** What is left to look at, where something went wrong. */
  readonly run?: string
  readonly workspace?: string
  /** What to do next. */
  readonly next: string
}

/** What a trial may use, for those who are to know before. */
export const trialBudget: typeof trialLimits = trialLimits

/** Rejects with `bad-request` for a name that is not known. */
export async function tryAgent(
  host: TrialHost,
  name: string,
  options: TryAgentOptions = {},
): Promise<AgentTrial> {
  const findings: Finding[] = []
  const tell = (finding: Finding): void => {
    findings.push(finding)
    options.onFinding?.(finding)
  }
  const agent = agentOf(name, options)
  const before = await lookBefore(host, name, options)
  for (const finding of before.findings) tell(finding)
  if (before.next !== undefined) return { agent: name, ok: false, findings, next: before.next }
  options.onStart?.()
  const task = await makeTask(agent)
  const { ok, run, next } = await work(host, name, task, options, tell)
  if (ok) {
    await task.remove()
    if (run !== undefined) await host.remove(run)
    return { agent: name, ok, findings, next }
  }
  if (run === undefined) await task.remove()
  const left = run === undefined ? {} : { run, workspace: task.workspace }
  return { agent: name, ok, findings, next, ...left }
}

/** As a loop file has it. */
function agentOf(name: string, { acp, model }: TryAgentOptions): unknown {
  const given = defined({ model })
  if (name === 'repair') return 'repair'
  if (name.includes('/')) return { model: name }
  const program = requireProgram(name, ['repair'])
  if (acp !== true) return { program: program.name, ...given }
  if (acpProgram(program) !== undefined) return { acp: program.name, ...given }
  throw new LoopError('bad-request', `${name} does not speak ACP. Take --acp away.`)
}

interface Before {
  readonly findings: readonly Finding[]
  /** Why there is no use in going on, and what to do. */
  readonly next?: string
}

/** What can be known without starting it. */
async function lookBefore(
  host: TrialHost,
  name: string,
  options: TryAgentOptions,
): Promise<Before> {
  const { environment = process.env } = options
  const findings: Finding[] = []
  const sandbox = await openSandbox()
  if (isProgramName(name)) {
    const program = agentProgram(name)
    const wanted = options.acp === true ? (acpProgram(program) ?? program) : program
    const found = findAgentProgram(wanted, { folder: host.folder, environment })
    if (found === undefined) {
      const next = howToGet(wanted)
      return { findings: [{ name: 'found', ok: false, text: 'it is not there' }], next }
    }
    const version = found.version ?? (await askVersion(found.command, sandbox))
    const tested = wanted.package.version
    const other = version === tested ? '' : ` (this was made with ${tested})`
    const text = `${wanted.name} ${version ?? 'of an unknown version'}${other}, ${found.path}`
    findings.push({ name: 'found', ok: true, text })
  }
  const { tier, reason } = sandbox.report
  findings.push({ name: 'sandbox', ok: tier !== 'none', text: `tier ${tier}: ${reason}` })
  const missing = await keyProblem(host, name, environment, options.model)
  if (missing === undefined) return { findings }
  if (missing === '') {
    return {
      findings: [...findings, { name: 'key', ok: true, text: 'there is one for its model' }],
    }
  }
  const none: Finding = { name: 'key', ok: false, text: missing }
  const next = 'Do that, then try again.'
  return { findings: [...findings, none], next }
}

/** Undefined: it needs no key. Empty: there is one. */
async function keyProblem(
  { models }: TrialHost,
  name: string,
  environment: Environment,
  model: string | undefined,
): Promise<string | undefined> {
  const place = { models, environment }
  try {
    if (isProgramName(name)) await chooseModel(agentProgram(name), model, place)
    else if (name.includes('/')) await requireKey({ model: name }, place)
    else return undefined
    return ''
  } catch (error) {
    if (isLoopError(error, 'not-configured')) return error.message
    throw error
  }
}

interface Worked {
  readonly ok: boolean
  readonly run?: string
  readonly next: string
}

async function work(
  host: TrialHost,
  name: string,
  { file, workspace, isChanged }: TrialTask,
  { environment = process.env, attended = false, acp = false, signal }: TryAgentOptions,
  tell: (finding: Finding) => void,
): Promise<Worked> {
  const { folder, models } = host
  const stop = defined({ signal })
  const { loadFile } = await import('../load-file.ts')
  const loaded = await loadFile(await readLoopFile(file), { folder, environment })
  try {
    const place = { folder, workspace, attended, models, ...stop }
    const { parts } = await loaded.open(place)
    const { loop, input, limits, source } = loaded
    const handle = await host.start(loop, { ...parts, input, limits, workspace, source, ...stop })
    const seen = nothingSeen()
    for await (const recorded of handle.events()) see(seen, recorded)
    const end = await handle.done
    const { state } = await host.inspect(handle.id)
    const spent = state.spent ?? zero
    const asksModels = name !== 'repair'
    const changed = await isChanged()
    for (const finding of findingsOf({ seen, end, isChanged: changed, spent, asksModels })) {
      tell(finding)
    }
    const ok = end.type === 'ended' && end.outcome.type === 'completed'
    const next = ok
      ? `It works. In a loop file: agent: ${shortest(name, acp)}`
      : `See what it did with: loopctl show ${handle.name} 1`
    return { ok, run: handle.name, next }
  } catch (error) {
    if (!isLoopError(error)) throw error
    tell({ name: 'starts', ok: false, text: error.message })
    return { ok: false, next: 'Do what it says, then try again.' }
  } finally {
    await loaded.close()
  }
}

function shortest(name: string, acp: boolean): string {
  if (name.includes('/')) return `{ model: ${name} }`
  return acp ? `{ acp: ${name} }` : name
}
