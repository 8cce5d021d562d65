/**
 * Tries an agent end to end with a small task: finds it, starts it in the sandbox, connects it to its model,
 * and judges it by a test that failed before. For `loopctl agents test`.
 *
 * After a success everything is removed. After a failure the run and its files stay for inspection.
 */

import { agentProgram, isProgramName } from '../../agents/index.ts'
import { readLoopFile } from '../../definition/loop-file/index.ts'
import type { Inspection } from '../../history/inspect-run.ts'
import { defined, isLoopError, LoopError, zero } from '../../loop/index.ts'
import type { Runs } from '../../runs/runs.ts'
import { openSandbox } from '../../sandbox/index.ts'
import type { Environment } from '../../system/environment.ts'
import type { LaunchHost } from '../launch-host.ts'
import type { OpenedLoop } from '../open-loop.ts'
import { acpProgram } from './acp-program.ts'
import { askVersion } from './ask-version.ts'
import { requireProgram } from './fetch-agent.ts'
import { explainInstall, findAgentProgram } from './find-program.ts'
import { chooseModel } from './program-model.ts'
import { requireKey } from './require-key.ts'
import { createObservations, type Finding, listFindings, observe } from './trial-findings.ts'
import { createTask, type TrialTask, trialLimits } from './trial-task.ts'

/** What a trial needs of a host. */
export interface TrialHost extends LaunchHost, Pick<Runs, 'start'> {
  inspect(run: string): Promise<Inspection>
  remove(run: string): Promise<unknown>
}

export interface TryAgentOptions {
  readonly environment?: Environment
  /** Use ACP. */
  readonly acp?: boolean
  readonly model?: string
  /** A person watches, so a weak sandbox is enough. */
  readonly attended?: boolean
  readonly signal?: AbortSignal
  /** Called right before it starts: from then on it may spend money. */
  readonly onStart?: () => void
  /** Receives each finding as it is made. */
  readonly onFinding?: (finding: Finding) => void
}

export interface AgentTrial {
  readonly agent: string
  /** The test passed. */
  readonly ok: boolean
  readonly findings: readonly Finding[]
  /** What stays for inspection after a failure. */
  readonly run?: string
  readonly workspace?: string
  /** What to do next. */
  readonly next: string
}

/** The limits of a trial. */
export const trialBudget: typeof trialLimits = trialLimits

/** Rejects with `bad-request` for an unknown name. */
export async function tryAgent(
  host: TrialHost,
  name: string,
  options: TryAgentOptions = {},
): Promise<AgentTrial> {
  const findings: Finding[] = []
  const report = (finding: Finding): void => {
    findings.push(finding)
    options.onFinding?.(finding)
  }
  const agent = toAgentSettings(name, options)
  const before = await checkBefore(host, name, options)
  for (const finding of before.findings) report(finding)
  if (before.next !== undefined) return { agent: name, ok: false, findings, next: before.next }
  options.onStart?.()
  const task = await createTask(agent)
  const { ok, run, next } = await work(host, name, task, options, report)
  if (ok) {
    await task.remove()
    if (run !== undefined) await host.remove(run)
    return { agent: name, ok, findings, next }
  }
  if (run === undefined) await task.remove()
  const left = run === undefined ? {} : { run, workspace: task.workspace }
  return { agent: name, ok, findings, next, ...left }
}

/** The value of `agent` in a loop file. */
function toAgentSettings(name: string, { acp, model }: TryAgentOptions): unknown {
  const given = defined({ model })
  if (name === 'repair') return 'repair'
  if (name.includes('/')) return { model: name }
  const program = requireProgram(name, ['repair'])
  if (acp !== true) return { program: program.name, ...given }
  if (acpProgram(program) !== undefined) return { acp: program.name, ...given }
  throw new LoopError('bad-request', `${name} does not speak ACP. Omit --acp.`)
}

interface InitialFindings {
  readonly findings: readonly Finding[]
  /** What to do first, if the trial cannot start. */
  readonly next?: string
}

/** Checks what can be known without starting it. */
async function checkBefore(
  host: TrialHost,
  name: string,
  options: TryAgentOptions,
): Promise<InitialFindings> {
  const { environment = process.env } = options
  const findings: Finding[] = []
  const sandbox = await openSandbox()
  if (isProgramName(name)) {
    const program = agentProgram(name)
    const wanted = options.acp === true ? (acpProgram(program) ?? program) : program
    const found = findAgentProgram(wanted, { folder: host.folder, environment })
    if (found === undefined) {
      const next = explainInstall(wanted)
      return { findings: [{ name: 'found', ok: false, text: 'not found' }], next }
    }
    const version = found.version ?? (await askVersion(found.command, sandbox))
    const tested = wanted.package.version
    const other = version === tested ? '' : ` (tested with ${tested})`
    const text = `${wanted.name} ${version ?? 'of an unknown version'}${other}, ${found.path}`
    findings.push({ name: 'found', ok: true, text })
  }
  const { tier, reason } = sandbox.report
  findings.push({ name: 'sandbox', ok: tier !== 'none', text: `tier ${tier}: ${reason}` })
  const missing = await keyProblem(host, name, environment, options.model)
  if (missing === undefined) return { findings }
  if (missing === '') {
    return {
      findings: [...findings, { name: 'key', ok: true, text: 'found for its model' }],
    }
  }
  const none: Finding = { name: 'key', ok: false, text: missing }
  const next = 'Set the key, then try again.'
  return { findings: [...findings, none], next }
}

/** Undefined: it needs no key. Empty: there is a key. */
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

interface TrialRun {
  readonly ok: boolean
  readonly run?: string
  readonly next: string
}

async function work(
  host: TrialHost,
  name: string,
  { file, workspace, isChanged }: TrialTask,
  { environment = process.env, attended = false, acp = false, signal }: TryAgentOptions,
  report: (finding: Finding) => void,
): Promise<TrialRun> {
  const { folder, models } = host
  const stop = defined({ signal })
  const { loadFile } = await import('../load-file.ts')
  const { openLoop } = await import('../open-loop.ts')
  const loaded = await loadFile(await readLoopFile(file), { folder, environment })
  let opened: OpenedLoop | undefined
  try {
    const place = { folder, workspace, attended, models, environment, ...stop }
    opened = await openLoop(loaded, place)
    const { loop, parts } = opened
    const { input, limits, source } = loaded
    const handle = await host.start(loop, { ...parts, input, limits, workspace, source, ...stop })
    const seen = createObservations()
    for await (const recorded of handle.events()) observe(seen, recorded)
    const end = await handle.done
    const { state } = await host.inspect(handle.id)
    const spent = state.spent ?? zero
    const usesModels = name !== 'repair'
    const changed = await isChanged()
    for (const finding of listFindings({ seen, end, isChanged: changed, spent, usesModels })) {
      report(finding)
    }
    const ok = end.type === 'ended' && end.outcome.type === 'completed'
    const next = ok
      ? `It works. In a loop file: agent: ${toShortSetting(name, acp)}`
      : `See what it did with: loopctl show ${handle.name} 1`
    return { ok, run: handle.name, next }
  } catch (error) {
    if (!isLoopError(error)) throw error
    report({ name: 'starts', ok: false, text: error.message })
    return { ok: false, next: 'Fix the problem above, then try again.' }
  } finally {
    await opened?.close()
  }
}

function toShortSetting(name: string, acp: boolean): string {
  if (name.includes('/')) return `{ model: ${name} }`
  return acp ? `{ acp: ${name} }` : name
}
