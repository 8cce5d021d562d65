/** An action that a person requests on the work of a run. The request is the approval; the journal keeps who it was. */

import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import {
  type Actions,
  actIdle,
  type IdleReceipt,
  loadRun,
  type Policy,
  type RunRow,
} from '../engine/index.ts'
import { openRunPolicy } from '../launch/policy/open-run-policy.ts'
import {
  type Action,
  defaultLevel,
  type PolicyFacts,
  type PolicyRequest,
  type RunId,
  type RunState,
  type TreeId,
  toPolicyContext,
} from '../loop/index.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import { createOwnerId } from '../system/index.ts'
import type { Repository } from '../workspace/index.ts'

export interface PersonalAction {
  readonly action: Action
  readonly actions: Actions
  /** Default: the local user. */
  readonly by?: string | undefined
  /** What the branch of the run has. Runs from before there were certificates are taken as they are. */
  readonly tree: TreeId | undefined
  /** The files that the run changed. */
  readonly files: readonly string[]
  readonly repository: Pick<Repository, 'home'>
  readonly earlier?: 'happened' | 'again' | undefined
}

export async function actAsPerson(
  base: Pick<HostPorts, 'journal' | 'clock' | 'folder'>,
  { id }: Pick<RunRow, 'id'>,
  request: PersonalAction,
): Promise<IdleReceipt> {
  const { action, actions, by = userInfo().username, tree, earlier } = request
  const known = tree === undefined ? {} : { tree }
  const { state } = await loadRun(base.journal, id)
  const policy = await openPolicyFor(base.folder, state)
  const facts = policy && (await readFacts(base.journal, id, request))
  return actIdle(id, base, createOwnerId(), {
    action,
    by,
    earlier,
    policy: policy && facts && ((now) => policy.judge(toRequest(now, action.kind, facts))),
    actions: {
      perform: (one, key, context) => actions.perform(one, key, vouched(context, known)),
      find: (one, key, context) => actions.find(one, key, vouched(context, known)),
    },
  })
}

/**
 * Those of the user, and those that the run was driven with. Their content has not changed since, or is trusted now: the
 * files of a loop file are trusted with it, not each by itself. One that is missing rejects.
 */
async function openPolicyFor(folder: string, { policy }: RunState): Promise<Policy | undefined> {
  const files = policy?.files ?? []
  const policies = files.map(({ file, mode }) => ({ file: resolve('/', file), mode }))
  const asDriven = await openRunPolicy({ policies }, { folder, isLook: true })
  return asDriven?.inEffect.digest === policy?.digest
    ? asDriven
    : openRunPolicy({ policies }, { folder })
}

type WorkFacts = Pick<PolicyFacts, 'filesChanged' | 'sealedTouched' | 'level'>

/** What the run was last driven with, and what it changed. */
async function readFacts(
  journal: HostPorts['journal'],
  id: RunId,
  { files, repository }: Pick<PersonalAction, 'files' | 'repository'>,
): Promise<WorkFacts> {
  const started = (await journal.read(id, { types: ['run-started'] })).at(-1)?.event
  const { level = defaultLevel, seals = {} } = started?.type === 'run-started' ? started : {}
  const { createClassify } = await import('../evidence/index.ts')
  const has = (path: string): boolean => existsSync(join(repository.home, path))
  const classify = createClassify(seals, { has, loaded: new Map() })
  const sealed = files.filter((file) => classify(file) !== undefined)
  return { filesChanged: files.length, sealedTouched: sealed.length, level }
}

function toRequest(state: RunState, actionKind: string, facts: WorkFacts): PolicyRequest {
  const { iteration, certificate } = state
  const context = toPolicyContext(state, { iteration, tree: certificate?.tree, ...facts })
  return { action: 'act', loop: state.loop, actionKind, context }
}

/** The caller compared the branch with the certificate, if there is one. */
const vouched = <C extends { readonly certificate?: unknown }>(
  context: C,
  known: { readonly tree?: TreeId },
): C => ({ ...context, certificate: context.certificate ?? 'requested by a person', ...known })
