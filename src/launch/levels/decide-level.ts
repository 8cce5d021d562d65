/** What people decide about levels: set one, accept a proposal, change what is required. */

import { randomUUID } from 'node:crypto'
import { isAbsolute } from 'node:path'
import { defined, type Level, LoopError, toJson } from '../../loop/index.ts'
import type { LevelRequest, LevelStanding } from '../../protocol/api/index.ts'
import { findProject } from '../../runs/find-project.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import { findScopes, type KnownScope, type KnownStanding, readStanding } from './read-levels.ts'

type Base = Pick<HostPorts, 'folder' | 'journal' | 'blobs' | 'clock'>

/** Resolves with what the loop has afterwards. */
export async function decideLevel(
  base: Base,
  { reason, ...request }: LevelRequest,
  by: string,
): Promise<LevelStanding> {
  requireOne(request)
  const scope = await findScope(base, request)
  const known = await readStanding(base, scope)
  const { level, bars } = request
  if (level !== undefined) {
    await record(base, scope, known, { cause: 'granted', level, by, reason: requireReason(reason) })
  } else if (bars !== undefined) {
    const details = toJson({ ...known.view.bars, ...bars })
    await record(base, scope, known, { cause: 'bars', details, by, reason: requireReason(reason) })
  } else {
    const to = requireProposal(scope, known)
    const why = reason ?? 'accepted what the evidence proposes'
    await record(base, scope, known, { cause: 'granted', level: to, by, reason: why })
  }
  return (await readStanding(base, scope)).view
}

function requireOne({ level, accept, bars }: LevelRequest): void {
  if ([level, accept, bars].filter((one) => one !== undefined).length === 1) return
  throw new LoopError('bad-request', 'Pass exactly one of level, accept and bars.')
}

function requireReason(reason: string | undefined): string {
  if (reason !== undefined) return reason
  throw new LoopError(
    'bad-request',
    'A reason is missing. It is kept with the change: --reason <text>',
  )
}

function requireProposal({ loop, kind }: KnownScope, { view }: KnownStanding): Level {
  const { proposed, missing } = view
  if (proposed !== undefined) return proposed
  const why = missing.length === 0 ? '' : ` Missing: ${missing.join('; ')}.`
  const message = `No level is proposed for ${kind} of ${loop}.${why}`
  throw new LoopError(
    'wrong-status',
    `${message} To set one: loopctl levels set ${loop} <level> --reason <text>`,
  )
}

interface Decision {
  readonly cause: 'granted' | 'bars'
  readonly level?: Level
  readonly details?: ReturnType<typeof toJson>
  readonly by: string
  readonly reason: string
}

async function record(
  { journal: { trust }, clock }: Base,
  { loop, repository, kind }: KnownScope,
  { standing, lastId }: KnownStanding,
  decision: Decision,
): Promise<void> {
  const change = await trust.record({
    loop,
    kind,
    ...decision,
    key: randomUUID(),
    starting: standing.level,
    atMs: clock.now(),
    after: lastId,
    ...defined({ repository }),
  })
  if (change !== undefined) return
  throw new LoopError(
    'wrong-status',
    `The level of ${loop} changed meanwhile. Look at it, then decide again: loopctl levels ${loop}`,
  )
}

/** The only one that fits. */
async function findScope(base: Base, { loop, workspace, kind }: LevelRequest): Promise<KnownScope> {
  const all = await findScopes(base, loop)
  const repository = workspace === undefined ? undefined : await findFolder(workspace, all)
  const fitting = all.filter(
    (one) =>
      (kind === undefined || one.kind === kind) &&
      (repository === undefined || one.repository === repository),
  )
  const [only] = fitting
  if (fitting.length === 1 && only !== undefined) return only
  if (fitting.length > 1) throw ambiguous(loop, fitting)
  // A loop that never ran can be given a level where it will run.
  if (repository !== undefined && kind !== undefined) return { loop, kind, repository }
  const message = `Nothing is known about ${JSON.stringify(loop)}${kind === undefined ? '' : ` and ${kind}`}: it has not run there.`
  throw new LoopError(
    'bad-request',
    `${message} Pass --repo <folder> and --kind <kind>, or list what is known: loopctl levels`,
  )
}

function findFolder(workspace: string, all: readonly KnownScope[]): Promise<string> {
  if (!isAbsolute(workspace)) {
    const shown = JSON.stringify(workspace.slice(0, 200))
    throw new LoopError(
      'bad-request',
      `${shown} is not an absolute path. Use one that starts with /.`,
    )
  }
  return findProject(workspace, async (known) => all.some(({ repository }) => repository === known))
}

function ambiguous(loop: string, fitting: readonly KnownScope[]): LoopError {
  const shown = fitting
    .slice(0, 5)
    .map(({ kind, repository }) => `${kind} in ${repository ?? 'no folder'}`)
  return new LoopError(
    'bad-request',
    `${loop} has several levels: ${shown.join(', ')}. Pass --kind <kind> and --repo <folder>.`,
  )
}
