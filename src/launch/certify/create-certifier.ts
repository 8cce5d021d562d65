/** The certifier of a run: what `evidence/` decides, with the workspace, walls and agents of the host. */

import { randomUUID } from 'node:crypto'
import { type Certifier, type TreeReader } from '../../engine/index.ts'
import {
  type Certified,
  createCertifier,
  draftOf,
  issueCertificate,
  type OpenCheck,
  planCondition,
  type SealRules,
} from '../../evidence/index.ts'
import {
  type CertificateId,
  defined,
  type RunId,
  type Share,
  type TreeId,
} from '../../loop/index.ts'
import type { CertificateDraft, CertifiedCalibration, ErrorRate } from '../../protocol/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import type { RunPlace } from '../../runs/run-place.ts'
import { pathInside } from '../../system/index.ts'
import { createTreeReader } from '../../workspace/tree-reader.ts'
import { readCalibration } from '../calibrate/calibration-store.ts'
import { agentName } from '../checks/agent-name.ts'
import type { CertifyingParts } from '../checks/certifying-parts.ts'
import { listNeededApprovals } from '../dependencies/choose-layers.ts'
import { openApprovedItems } from '../dependencies/dependency-approvals.ts'
import { fileBaseAnswers } from './file-base-answers.ts'
import { openCertifyingPlace } from './open-place.ts'
import { fileRaisedConcerns } from './raised-concerns.ts'

/** All that is needed of the host. */
export type CertifierBase = Pick<HostPorts, 'folder' | 'blobs'> & {
  readonly clock: Pick<HostPorts['clock'], 'now'>
}

/** What a certificate says of files that come from no run. */
export interface CertifiedAs {
  readonly what?: CertificateDraft['what']
  readonly baseCommit?: string
  /** There is nothing that the lockfile could be compared with. */
  readonly hasNoBase?: boolean
  /** The model that worked in this iteration, where it is known. */
  readonly findModel?: (run: RunId, iteration: number) => Promise<string | undefined>
}

export interface CertifierPlace extends Pick<RunPlace, 'workspace' | 'checkout' | 'worktree'> {
  readonly placed: Pick<NonNullable<RunPlace['placed']>, 'repository'> | undefined
  /** Paths that are no part of the tree, for whoever compares files with it. */
  readonly exclude?: readonly string[] | undefined
}

export async function createHostCertifier(
  base: CertifierBase,
  place: CertifierPlace,
  certifying: CertifyingParts,
  as: CertifiedAs = {},
): Promise<Certifier> {
  const { folder, blobs, clock } = base
  const { workspace, checkout } = place
  const repository = place.placed?.repository
  const reader = createTreeReader({ blobs, folder, repository })
  const { certify, seals } = certifying
  const options = {
    reader,
    blobs,
    stateFolder: folder,
    repository,
    workspace,
    checkout,
    certifying,
  }
  return createCertifier({
    reader,
    seals: rulesOf(certifying),
    changes: seals.changes,
    deadlineMs: certify.deadlineMs,
    consultants: certify.consult.map(({ name, prompt, timeoutMs, agent }) => ({
      name,
      prompt,
      timeoutMs,
      agent: agentName(agent),
    })),
    raised: fileRaisedConcerns(folder),
    ...defined({ scope: certifying.scope }),
    required: certify.require,
    quick: certify.quick,
    bases: fileBaseAnswers(folder),
    dependencies: {
      needed: (lockfileOf) =>
        listNeededApprovals({
          reader,
          lockfileOf,
          mode: certify.dependencies,
          stateFolder: folder,
        }),
      approve: (items, by) =>
        openApprovedItems(folder).approve(
          items.map(({ id }) => id),
          by,
        ),
    },
    open: (request) => openCertifyingPlace(request, options),
    commandInstead: (tree) => commandInstead(reader, tree),
    issue: (certified) => issue(base, place, certified, as),
    token: () => randomUUID(),
    now: () => clock.now(),
  })
}

const rulesOf = ({ seals, names }: CertifyingParts): SealRules => ({
  paths: seals.paths,
  except: seals.except,
  keys: seals.keys,
  names,
})

/** What the stack of these files is tested with, if anything is. */
async function commandInstead(reader: TreeReader, tree: TreeId): Promise<string | undefined> {
  const { commands } = await planCondition(reader, tree, 'all_tests_pass')
  const [first] = commands
  return first === undefined ? undefined : first.argv.join(' ')
}

async function issue(
  { folder, blobs, clock }: CertifierBase,
  place: CertifierPlace,
  certified: Certified,
  as: CertifiedAs,
): Promise<CertificateId> {
  const { worktree } = place
  const { run, iteration } = certified.subject
  const model = await as.findModel?.(run, iteration)
  const draft = await draftOf(certified, {
    async keep(output) {
      const { blob, bytes } = await blobs.put(output)
      return { sha256: blob, bytes }
    },
    calibrationOf: ({ check }) => calibrationOf(folder, certified.subject.loop, check),
    now: () => clock.now(),
    ...(worktree === undefined ? {} : { baseCommit: worktree.base.commit }),
    ...defined({ what: as.what, model, baseCommit: as.baseCommit }),
  })
  const apart = apartFrom(place, folder)
  const { layer } = draft
  const isUnapproved = as.hasNoBase === true && layer?.from === 'installed'
  const whole = {
    ...draft,
    ...(apart.length === 0 ? {} : { apart }),
    ...(isUnapproved ? { layer: { ...layer, lockfile: 'unapproved' as const } } : {}),
  }
  const { id } = await issueCertificate(whole, { folder, now: () => clock.now() })
  return id
}

/** As `openWorkspace` leaves them out. */
function apartFrom({ workspace, placed, exclude = [] }: CertifierPlace, record: string): string[] {
  const inside =
    workspace === undefined || placed !== undefined ? undefined : pathInside(workspace, record)
  return inside === undefined ? [...exclude] : [...exclude, inside]
}

async function calibrationOf(
  record: string,
  loop: string,
  check: OpenCheck,
): Promise<CertifiedCalibration | undefined> {
  const known = await readCalibration(record, loop, check)
  if (known === undefined) return undefined
  const { falseAccepts, falseRejects, ref } = known
  return { falseAccepts: rateOf(falseAccepts), falseRejects: rateOf(falseRejects), ref }
}

const rateOf = ({ count, n, low, high }: Share): ErrorRate => ({ count, of: n, low, high })
