/**
 * Starts, resumes, forks or retries a run, and watches it to its end. The requests are the same whether a
 * daemon or this process drives it.
 */

import { homedir } from 'node:os'
import { parse, resolve } from 'node:path'
import type { Command } from 'commander'
import type { NewRunRequest } from '../../client/index.ts'
import { defined, LoopError, type RunId } from '../../loop/index.ts'
import type { Settings } from '../../protocol/index.ts'
import type { Inspected } from '../connection/runs.ts'
import { limitsFrom } from '../limit-options.ts'
import { askedWorktree, changesFrom } from '../run-options.ts'
import { openSession, type Session, who } from '../session.ts'
import { settingsHere } from '../settings-here.ts'
import { agreedDigest, type Previewed, requireAgreed } from '../trust.ts'
import { accepted } from './accepted.ts'
import { callerEnvironment } from './caller-environment.ts'
import type { AtEnd } from './end-of-run.ts'
import { describePlace, notesOn } from './run-title.ts'
import type {
  DetachOption,
  ForkOptions,
  ResumeOptions,
  RetryOptions,
  RunOptions,
} from './start-options.ts'
import type { Starter } from './with-starter.ts'

export async function startRun(
  program: Command,
  starter: Starter,
  file: string,
  options: RunOptions & DetachOption,
): Promise<void> {
  const session = openSession(program)
  const { client } = starter
  const { daemon: _its, ...settings } = (await settingsHere(program, session, options)).settings
  const preview = await client.previewLoop(resolve(file))
  // In process the file was just read: the digest says that it is to be run as it was then.
  const isSettled = preview.trusted && starter.here === undefined
  const trust = isSettled
    ? undefined
    : await agreedDigest(session, preview, preview.trusted || options.trust === true)
  const request: NewRunRequest = {
    ...(await requestFrom(options)),
    ...(await callerEnvironment(starter, preview, await namingVariables(settings))),
    file: preview.file,
    ...hereUnlessHome(),
    settings,
    attended: isAttended(session, options),
    ...defined({ trust }),
    by: who(),
  }
  await accepted(
    session,
    starter,
    () => client.createRun(request),
    options,
    (inspected, why) => ({
      before: undefined,
      title: `${describePlace(inspected)}${why === undefined ? '' : `, as it is (${why})`}`,
      notes: notesOn(inspected.state),
    }),
  )
}

export async function resumeRun(
  session: Session,
  starter: Starter,
  before: Inspected,
  options: ResumeOptions & DetachOption,
): Promise<void> {
  const { client } = starter
  const file = options.file === undefined ? undefined : resolve(options.file)
  const workspace = options.workspace === undefined ? undefined : resolve(options.workspace)
  const preview = await trustAgain(session, starter, before, options, file)
  const request = {
    ...(await callerEnvironment(starter, preview ?? before.state.source?.file)),
    by: who(),
    ...defined({ file, workspace }),
    attended: isAttended(session, options),
    ...(options.force === true ? { force: true } : {}),
    ...(options.keepFiles === true ? { keepFiles: true } : {}),
    ...defined({ fromIteration: options.from }),
  }
  await accepted(
    session,
    starter,
    () => client.resume(before.run.id, request),
    options,
    (inspected) => ({
      before,
      title: describePlace(inspected, `resumed after iteration ${before.state.iteration}`),
    }),
  )
}

export async function retryRun(
  session: Session,
  starter: Starter,
  name: string,
  options: RetryOptions,
): Promise<void> {
  const { client } = starter
  const before = await client.inspect(name)
  const preview = await trustAgain(session, starter, before, options)
  const request = {
    ...(await callerEnvironment(starter, preview ?? before.state.source?.file)),
    by: who(),
    attended: isAttended(session, options),
    ...defined({ name: options.name }),
  }
  await accepted(
    session,
    starter,
    () => client.retry(before.run.id, request),
    options,
    (inspected) => ({
      before: undefined,
      title: describePlace(inspected, `a retry of ${before.run.name}`),
      notes: notesOn(inspected.state),
    }),
  )
}

export async function forkRun(
  session: Session,
  starter: Starter,
  name: string,
  options: ForkOptions & DetachOption,
): Promise<void> {
  const { client } = starter
  const from = await client.inspect(name)
  const iteration = options.at ?? from.checkpoints.at(-1)?.iteration ?? 0
  const file = options.file === undefined ? undefined : resolve(options.file)
  const preview = await trustAgain(session, starter, from, options, file)
  const changes = await changesFrom(options)
  const request = {
    ...(await callerEnvironment(starter, preview ?? file ?? from.state.source?.file)),
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
    starter,
    () => client.fork(from.run.id, request),
    options,
    (inspected) => ({
      before: undefined,
      title: describePlace(inspected, `forked from ${from.run.name} after iteration ${iteration}`),
      notes: notesOn(inspected.state),
      epilogue: compareAtEnd(starter, inspected.run.id),
    }),
  )
}

export async function watch(session: Session, starter: Starter, name: string): Promise<void> {
  const { client } = starter
  const before = await client.inspect(name)
  const { run, state } = before
  const at = state.iteration === 0 ? '' : `, after iteration ${state.iteration}`
  if (state.outcome !== undefined) {
    const message = `Run "${run.name}" has ended (${run.status}).`
    throw new LoopError('wrong-status', `${message} Look at it: loopctl inspect ${run.name}`)
  }
  await accepted(
    session,
    starter,
    async () => ({ run }),
    {},
    () => ({
      before,
      title: `${describePlace(before)}${at}`,
      isUnderWay: true,
    }),
  )
}

/** Reads the state folder, so only where that is on this machine. */
const compareAtEnd =
  ({ folder }: Starter, run: RunId): AtEnd =>
  async (end) => {
    if (folder === undefined || end.type !== 'ended') return undefined
    const { openHost } = await import('../../host/open-host.ts')
    const { compareFork } = await import('./fork-epilogue.ts')
    const host = await openHost({ folder })
    try {
      return compareFork(await host.compareFork(run))
    } finally {
      await host.close()
    }
  }

/** A model that names runs needs its key. */
async function namingVariables({ naming }: Pick<Settings, 'naming'>): Promise<readonly string[]> {
  if (naming.model === undefined) return []
  return (await import('../../launch/run-environment.ts')).providerVariables()
}

/** A user at a terminal counts as watching. */
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

/** An agent does not work on a whole home folder because the user happens to be in it. */
function hereUnlessHome(): { readonly here?: string } {
  const here = process.cwd()
  return here === homedir() || here === parse(here).root ? {} : { here }
}

/** Asks again about a loop file that changed, if the state folder is on this machine. */
async function trustAgain(
  session: Session,
  { folder }: Starter,
  { state }: Inspected,
  { trust = false }: { readonly trust?: boolean },
  file = state.source?.file,
): Promise<Previewed | undefined> {
  if (file === undefined || folder === undefined) return undefined
  return requireAgreed(session, folder, file, trust, 'resume')
}
