/**
 * `run` without a loop file: the loop is made of --agent, --check and --prompt. It is kept in the state
 * folder by its content, so that the daemon, resume, retry and fork find it, and it is trusted: the user
 * typed all of it (ADR 0051).
 */

import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { AgentCandidate } from '../launch/agents/find-agents.ts'
import type { LoopDraft } from '../launch/init/loop-text.ts'
import type { InlineLoop } from '../launch/init/write-loop.ts'
import { defined, type Json, LoopError, specSlug } from '../loop/index.ts'
import { type GivenChecks, namedChecks } from './check-option.ts'
import { chooseLoop, loopFiles } from './choose-loop.ts'
import { type ChosenSpec, chooseSpec, specFiles } from './choose-spec.ts'
import { visible } from './display/render.ts'
import { changesFrom } from './run-options.ts'
import { openSession, readStateFolder, type Session } from './session.ts'
import { configHere } from './settings-here.ts'
import type { RunOptions } from './start/start-options.ts'

export interface InlineOptions {
  readonly agent?: string
  readonly check?: GivenChecks
}

export interface ChosenLoop<T> {
  readonly file: string
  /** Without those that became part of the loop, and with the spec as input. */
  readonly options: T
  readonly isInline: boolean
  /** Of a spec: why this loop, for people. */
  readonly rule?: string
  /** Removes the file of a dry run. */
  close(): Promise<void>
}

const keep = async (): Promise<void> => undefined

export async function chooseRunLoop<T extends RunOptions & InlineOptions>(
  program: Command,
  given: { readonly named?: string | undefined; readonly plan?: string | undefined },
  options: T,
): Promise<ChosenLoop<T>> {
  const session = openSession(program)
  const { specsDir } = (await configHere(program, {}, options.config)).settings.build
  const picked =
    options.pick === true && given.named === undefined
      ? await chooseLoop(session.terminal, undefined, true, '.', specFiles(specsDir))
      : undefined
  const named = picked ?? given.named
  const spec = chooseSpec(named, given.plan, specsDir)
  if (spec !== undefined) return chooseForSpec(program, spec, options)
  if (picked !== undefined) return { file: picked, options, isInline: false, close: keep }
  if (!isInline(named, options)) {
    requireNoParts(named, options)
    const file = await chooseLoop(session.terminal, named, options.pick === true)
    return { file, options, isInline: false, close: keep }
  }
  const { inlineLoop } = await import('../launch/init/write-loop.ts')
  const state = resolve(await readStateFolder(program))
  const draft = await draftFrom(session, state, options)
  return storeLoop(inlineLoop(draft), state, options)
}

/** A loop file that fits the spec, or the built-in loop with the agent and the checks of `init`. */
async function chooseForSpec<T extends RunOptions & InlineOptions>(
  program: Command,
  { spec, plan }: ChosenSpec,
  given: T,
): Promise<ChosenLoop<T>> {
  if (given.agent === 'repair') throw repairCannotBuild()
  const { describeOtherFolder, findBuildLoop, findRoot } = await import(
    '../launch/init/find-build-loop.ts'
  )
  const other = given.workspace === undefined ? describeOtherFolder(spec) : undefined
  if (other !== undefined) process.stderr.write(`${visible(other)}\n`)
  const input = { ...given.input, spec, ...defined({ plan }) }
  const found = findBuildLoop(spec)
  const { rule } = found
  if (found.file !== undefined && given.agent === undefined && given.check === undefined) {
    const options = { ...given, input }
    return { file: found.file, options, isInline: false, rule, close: keep }
  }
  const { buildText } = await import('../launch/init/loop-text.ts')
  const session = openSession(program)
  const state = resolve(await readStateFolder(program))
  const options = { ...given, input, workspace: given.workspace ?? findRoot(spec) }
  const draft = await draftFrom(session, state, {
    workspace: options.workspace,
    ...defined({ agent: given.agent, check: given.check }),
    isSpec: true,
  })
  const name = specSlug(spec)
  const stored = await storeLoop({ name, text: buildText(name, draft) }, state, options)
  const why =
    found.file === undefined ? rule : 'the built-in build loop, with your --agent or --check'
  return { ...stored, rule: why }
}

async function storeLoop<T extends RunOptions & InlineOptions>(
  loop: InlineLoop,
  state: string,
  options: T,
): Promise<ChosenLoop<T>> {
  const { storeInlineLoop, writeTemporaryLoop } = await import('../launch/init/write-loop.ts')
  const { agent: _agent, check: _check, prompt, ...rest } = options
  const isSpec = options.input?.['spec'] !== undefined
  // The prompt of a build loop stays an override.
  const others = { ...rest, ...(isSpec ? defined({ prompt }) : {}) } as unknown as T
  if (options.dryRun !== true) {
    const { file } = await storeInlineLoop(loop, state)
    return { file, options: others, isInline: true, close: keep }
  }
  const { file, remove } = await writeTemporaryLoop(loop)
  return { file, options: others, isInline: true, close: remove }
}

/** A prompt alone applies to the only loop in loops/, if there is one. */
function isInline(
  named: string | undefined,
  { agent, check, prompt, pick }: RunOptions & InlineOptions,
): boolean {
  if (named !== undefined || pick === true) return false
  if (agent !== undefined || check !== undefined) return true
  return prompt !== undefined && loopFiles('loops').length === 0
}

function requireNoParts(named: string | undefined, { agent, check }: InlineOptions): void {
  if (agent === undefined && check === undefined) return
  const parts = [agent === undefined ? '' : '--agent', check === undefined ? '' : '--check']
  const given = parts.filter(Boolean).join(' and ')
  const what = named === undefined ? 'The loop file' : named
  throw new LoopError(
    'bad-request',
    `${what} has its own agent and checks, so ${given} cannot be used with it. Edit the file, or run without one: loopctl run --check <command> -p <task>`,
  )
}

async function draftFrom(
  session: Session,
  state: string,
  options: RunOptions & InlineOptions & { readonly isSpec?: boolean },
): Promise<LoopDraft> {
  const [{ inspectFolder }, { findAgents }, { defaultTask, parseAgent }] = await Promise.all([
    import('../launch/init/inspect-folder.ts'),
    import('../launch/agents/find-agents.ts'),
    import('../launch/init/loop-text.ts'),
  ])
  const folder = options.workspace ?? '.'
  const notes: string[] = []
  const { prompt = defaultTask } = await changesFrom(options)
  let agent: Json
  if (options.agent === undefined) {
    const candidates = await findAgents(state, { projectFolders: [resolve(folder)] })
    const { name, why } = onlyAgent(candidates, options.isSpec)
    notes.push(`agent: ${name} (${why})`)
    agent = parseAgent(name)
  } else agent = parseAgent(options.agent)
  const given = options.check ?? []
  const checks = await namedChecks(given.length > 0 ? given : (await inspectFolder(folder)).checks)
  if (Object.keys(checks).length === 0) throw noCheck(resolve(folder))
  if (given.length === 0)
    notes.push(...Object.entries(checks).map(([name, command]) => `check ${name}: ${command}`))
  if (!session.json && !session.quiet)
    for (const note of notes) process.stderr.write(`${visible(note)}\n`)
  return { agent, checks, task: prompt }
}

const buildAdvice = "A command can be the agent: --agent 'node agent.mjs'."

const repairCannotBuild = (): LoopError =>
  new LoopError(
    'bad-request',
    `The agent repair cannot build a spec. Choose another; see: loopctl agents. ${buildAdvice}`,
  )

export const noCheck = (folder: string): LoopError =>
  new LoopError(
    'not-configured',
    `Found no test command in ${folder}. Pass the command that must pass: --check 'make test'`,
  )

interface ChosenAgent {
  readonly name: string
  readonly why: string
}

/** The only one that is installed or has a key; among several the user has to choose. */
export function onlyAgent(candidates: readonly AgentCandidate[], isSpec = false): ChosenAgent {
  const usable = [
    candidates.filter(({ kind, state }) => kind === 'program' && state === 'ready'),
    candidates.filter(({ kind, state }) => kind === 'program' && state === 'no-key'),
    candidates.filter(({ kind, state }) => kind === 'model' && state === 'ready'),
  ].find(({ length }) => length > 0)
  const [only] = usable ?? []
  if (usable === undefined || only === undefined) {
    const advice = isSpec ? buildAdvice : 'Or use --agent repair.'
    const message = 'No agent program is installed, and no provider key is set.'
    throw new LoopError('not-configured', `${message} See: loopctl agents. ${advice}`)
  }
  const names = usable.map(({ name }) => name).join(', ')
  if (usable.length > 1)
    throw new LoopError('bad-request', `Several agents are ready: ${names}. Choose with --agent.`)
  return { name: only.name, why: only.kind === 'model' ? 'its key is set' : 'installed' }
}
