/**
 * `run` without a loop file: the loop is made of --agent, --check and --prompt. It is kept in the state
 * folder by its content, so that the daemon, resume, retry and fork find it, and it is trusted: the user
 * typed all of it (ADR 0051).
 */

import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { AgentCandidate } from '../launch/agents/find-agents.ts'
import type { LoopDraft } from '../launch/init/loop-text.ts'
import { type Json, LoopError } from '../loop/index.ts'
import { type GivenChecks, namedChecks } from './check-option.ts'
import { chooseLoop, loopFiles } from './choose-loop.ts'
import { visible } from './display/render.ts'
import { changesFrom } from './run-options.ts'
import { openSession, readStateFolder, type Session } from './session.ts'
import type { RunOptions } from './start/start-options.ts'

export interface InlineOptions {
  readonly agent?: string
  readonly check?: GivenChecks
}

export interface ChosenLoop<T> {
  readonly file: string
  /** Without those that became part of the loop. */
  readonly options: T
  readonly isInline: boolean
  /** Removes the file of a dry run. */
  close(): Promise<void>
}

const keep = async (): Promise<void> => undefined

export async function chooseRunLoop<T extends RunOptions & InlineOptions>(
  program: Command,
  named: string | undefined,
  options: T,
): Promise<ChosenLoop<T>> {
  const session = openSession(program)
  if (!isInline(named, options)) {
    requireNoParts(named, options)
    const file = await chooseLoop(session.terminal, named, options.pick === true)
    return { file, options, isInline: false, close: keep }
  }
  const state = resolve(await readStateFolder(program))
  const draft = await draftFrom(session, state, options)
  const { agent: _agent, check: _check, prompt: _prompt, ...rest } = options
  const { storeInlineLoop, writeTemporaryLoop } = await import('../launch/init/write-loop.ts')
  const others = rest as unknown as T
  if (options.dryRun !== true) {
    const { file } = await storeInlineLoop(draft, state)
    return { file, options: others, isInline: true, close: keep }
  }
  const { file, remove } = await writeTemporaryLoop(draft)
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
  options: RunOptions & InlineOptions,
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
    const { name, why } = onlyAgent(await findAgents(state, { projectFolders: [resolve(folder)] }))
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
export function onlyAgent(candidates: readonly AgentCandidate[]): ChosenAgent {
  const usable = [
    candidates.filter(({ kind, state }) => kind === 'program' && state === 'ready'),
    candidates.filter(({ kind, state }) => kind === 'program' && state === 'no-key'),
    candidates.filter(({ kind, state }) => kind === 'model' && state === 'ready'),
  ].find(({ length }) => length > 0)
  const [only] = usable ?? []
  if (usable === undefined || only === undefined) {
    const message = 'No agent program is installed, and no provider key is set.'
    throw new LoopError('not-configured', `${message} See: loopctl agents. Or use --agent repair.`)
  }
  const names = usable.map(({ name }) => name).join(', ')
  if (usable.length > 1)
    throw new LoopError('bad-request', `Several agents are ready: ${names}. Choose with --agent.`)
  return { name: only.name, why: only.kind === 'model' ? 'its key is set' : 'installed' }
}
