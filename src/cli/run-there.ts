/** Has a daemon drive a run: a new one, one that is there, a fork, one more try. Watches unless told not to. */

import { homedir } from 'node:os'
import { parse, resolve } from 'node:path'
import type { Command } from 'commander'
import type { NewRunRequest, RunAnswer } from '../client/index.ts'
import { defined, LoopError, type RunId } from '../loop/index.ts'
import type { Settings } from '../protocol/index.ts'
import { callerEnvironment } from './caller-environment.ts'
import { daemonRuns } from './daemon-runs.ts'
import { renderNotice } from './display/wrap.ts'
import type { ForkCommandOptions } from './fork-here.ts'
import { type AtEnd, allAtEnd, lookAtEndOf } from './look-at-end.ts'
import type { Reach } from './reach.ts'
import type { ResumeOptions } from './resume-here.ts'
import type { RunOptions } from './run-here.ts'
import { type AttendedOption, askedWorktree, changesFrom, limitsFrom } from './run-options.ts'
import type { Inspected } from './runs.ts'
import { openSession, type Session, who } from './session.ts'
import { settingsHere } from './settings-here.ts'
import type { From } from './show-run.ts'
import { describePlace } from './told-place.ts'
import { agreedDigest, requireAgreed } from './trust.ts'
import { type Leaving, listenToLeave, waitText, watchRun } from './watch-run.ts'

export type There = Extract<Reach, { type: 'daemon' }>

export interface DetachOption {
  readonly detach?: boolean
}

export interface RetryOptions extends DetachOption, AttendedOption {
  readonly name?: string
  readonly trust?: boolean
}

export async function runThere(
  program: Command,
  there: There,
  file: string,
  options: RunOptions & DetachOption,
): Promise<void> {
  const session = openSession(program)
  const { client } = there
  const { daemon: _its, ...settings } = (await settingsHere(program, session, options)).settings
  const preview = await client.previewLoop(resolve(file))
  const trust = preview.trusted
    ? undefined
    : await agreedDigest(session, preview, options.trust === true)
  const request: NewRunRequest = {
    ...(await requestFrom(options)),
    ...(await callerEnvironment(there, preview.file, await namingVariables(settings))),
    file: preview.file,
    ...hereUnlessHome(),
    settings,
    attended: isAttended(session, options),
    ...defined({ trust }),
    by: who(),
  }
  await accepted(
    session,
    there,
    () => client.createRun(request),
    options,
    (inspected) => ({
      before: undefined,
      title: describePlace(inspected),
    }),
  )
}

export async function resumeThere(
  session: Session,
  there: There,
  name: string,
  options: ResumeOptions & DetachOption,
): Promise<void> {
  const { client } = there
  const moved = [options.workspace && '--workspace', options.file && '--file'].filter(Boolean)
  if (moved.length > 0) {
    const message = `${moved.join(' and ')}: a daemon knows a run where it was.`
    throw new LoopError('bad-request', `${message} Go on in this process: --no-daemon.`)
  }
  const before = await client.inspect(name)
  await trustAgain(session, there, before, options)
  const request = {
    ...(await callerEnvironment(there, before.state.source?.file)),
    by: who(),
    attended: isAttended(session, options),
    ...(options.force === true ? { force: true } : {}),
    ...(options.keepFiles === true ? { keepFiles: true } : {}),
    ...defined({ fromIteration: options.from }),
  }
  await accepted(
    session,
    there,
    () => client.resume(before.run.id, request),
    options,
    (inspected) => ({
      before,
      title: `${describePlace(inspected)}, resumed after iteration ${before.state.iteration}`,
    }),
  )
}

export async function retryThere(
  session: Session,
  there: There,
  name: string,
  options: RetryOptions,
): Promise<void> {
  const { client } = there
  const before = await client.inspect(name)
  await trustAgain(session, there, before, options)
  const request = {
    ...(await callerEnvironment(there, before.state.source?.file)),
    by: who(),
    attended: isAttended(session, options),
    ...defined({ name: options.name }),
  }
  await accepted(
    session,
    there,
    () => client.retry(before.run.id, request),
    options,
    (inspected) => ({
      before: undefined,
      title: `${describePlace(inspected)}, another try of ${before.run.name}`,
    }),
  )
}

export async function forkThere(
  session: Session,
  there: There,
  name: string,
  options: ForkCommandOptions & DetachOption,
): Promise<void> {
  const { client } = there
  const from = await client.inspect(name)
  const iteration = options.at ?? from.checkpoints.at(-1)?.iteration ?? 0
  const file = options.file === undefined ? undefined : resolve(options.file)
  await trustAgain(session, there, from, options, file)
  const changes = await changesFrom(options)
  const request = {
    ...(await callerEnvironment(there, file ?? from.state.source?.file)),
    iteration,
    by: who(),
    attended: isAttended(session, options),
    limits: limitsFrom(options),
    ...(Object.keys(changes).length === 0 ? {} : { changes }),
    ...defined({ file }),
    ...(options.workspace === undefined ? {} : { workspace: resolve(options.workspace) }),
    ...defined({ name: options.name, input: options.input }),
  }
  await accepted(
    session,
    there,
    () => client.fork(from.run.id, request),
    options,
    (inspected) => ({
      before: undefined,
      title: `${describePlace(inspected)}, forked from ${from.run.name} after iteration ${iteration}`,
      epilogue: compareThere(there, inspected.run.id),
    }),
  )
}

export async function watchThere(session: Session, there: There, name: string): Promise<void> {
  const { client } = there
  const before = await client.inspect(name)
  const { run, state } = before
  const at = state.iteration === 0 ? '' : `, after iteration ${state.iteration}`
  if (state.outcome !== undefined) {
    const message = `Run "${run.name}" has ended (${run.status}).`
    throw new LoopError('wrong-status', `${message} Look at it: loopctl inspect ${run.name}`)
  }
  await accepted(
    session,
    there,
    async () => ({ run }),
    {},
    () => ({
      before,
      title: `${describePlace(before)}${at}`,
      isUnderWay: true,
    }),
  )
}

/** The record says it, where that is on this machine. */
const compareThere =
  ({ folder }: There, run: RunId): AtEnd =>
  async (end) => {
    if (folder === undefined || end.type !== 'ended') return undefined
    const { openHost } = await import('../host/open-host.ts')
    const { compareAtEnd } = await import('./fork-epilogue.ts')
    const host = await openHost({ folder })
    try {
      return await compareAtEnd(host, { id: run })(end)
    } finally {
      await host.close()
    }
  }

/** Has it accepted, then shows it to its end, or says that it is in good hands. */
async function accepted(
  session: Session,
  there: There,
  ask: () => Promise<RunAnswer>,
  options: DetachOption,
  from: (inspected: Inspected) => From,
): Promise<void> {
  const leaving = listenToLeave()
  try {
    await follow(session, there, await ask(), options, from, leaving)
  } finally {
    leaving.close()
  }
}

async function follow(
  session: Session,
  { client }: There,
  { run, queue }: RunAnswer,
  { detach = false }: DetachOption,
  from: (inspected: Inspected) => From,
  leaving: Leaving,
): Promise<void> {
  if (detach) {
    const line = queue?.state === 'queued' ? waitText(queue) : 'running'
    session.print({ run: run.id, name: run.name, ...(queue && { queue }) }, () =>
      renderNotice(
        session.hint(`${run.name}: ${line}. Watch it: loopctl watch ${run.name}`),
        session.terminal,
      ).join('\n'),
    )
    return
  }
  const inspected = await client.inspect(run.id)
  const told = from(inspected)
  const look = lookAtEndOf(session, daemonRuns(client), run.id)
  const epilogue = allAtEnd([look, ...(told.epilogue === undefined ? [] : [told.epilogue])])
  const waits = queue?.waitsFor === undefined ? {} : { waits: waitText(queue) }
  await watchRun(session, client, run, { ...told, ...waits, epilogue }, leaving)
}

/** A model that names runs needs its key too. */
async function namingVariables({ naming }: Pick<Settings, 'naming'>): Promise<readonly string[]> {
  if (naming.model === undefined) return []
  return (await import('../launch/run-environment.ts')).providerVariables()
}

/** With a terminal, somebody watches: as in the foreground without a daemon. */
const isAttended = (
  { terminal }: Session,
  { attended = false, detach = false }: { readonly attended?: boolean } & DetachOption,
): boolean => attended || (terminal.asks && !detach)

async function requestFrom(options: RunOptions): Promise<Omit<NewRunRequest, 'file'>> {
  const changes = await changesFrom(options)
  const limits = limitsFrom(options)
  const worktree = askedWorktree(options)
  return {
    ...(options.workspace === undefined ? {} : { workspace: resolve(options.workspace) }),
    ...defined({ name: options.name, input: options.input }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(Object.keys(changes).length === 0 ? {} : { changes }),
    ...(Object.keys(worktree).length === 0 ? {} : { worktree }),
    needsChoice: true,
    ...(options.again === true ? { again: true } : {}),
    ...(options.skipPreflight === true ? { skipPreflight: true } : {}),
    ...defined({ priority: options.priority }),
  }
}

/** Whoever is at home by chance does not want an agent to work on all of it. */
function hereUnlessHome(): { readonly here?: string } {
  const here = process.cwd()
  return here === homedir() || here === parse(here).root ? {} : { here }
}

/** A loop file that changed since is asked about again, where its record is on this machine. */
async function trustAgain(
  session: Session,
  { folder }: There,
  { state }: Inspected,
  { trust = false }: { readonly trust?: boolean },
  file = state.source?.file,
): Promise<void> {
  if (file !== undefined && folder !== undefined) await requireAgreed(session, folder, file, trust)
}
