/** Creates the certifier of a run: the rules of `evidence/` with the workspace, sandbox and agents of the host. */

import { randomUUID } from 'node:crypto'
import { type Certifier, type TreeReader } from '../../engine/index.ts'
import {
  type Certified,
  createCertificateDraft,
  createCertifier,
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
import { createFileBaseAnswers } from './file-base-answers.ts'
import { openCertifyingCheckout } from './open-certifying-checkout.ts'
import type { PhaseClock } from './phase-times.ts'
import { fileRaisedConcerns } from './raised-concerns.ts'

/** What the certifier needs of the host. */
export type CertifierBase = Pick<HostPorts, 'folder' | 'blobs'> & {
  readonly clock: Pick<HostPorts['clock'], 'now'>
  /** Gets the times of the phases. */
  readonly phaseClock?: PhaseClock
}

/** What a certificate states about files that do not come from a run. */
export interface CertificateSubject {
  readonly what?: CertificateDraft['what']
  readonly baseCommit?: string
  /** There is no base to compare the lockfile with. */
  readonly hasNoBase?: boolean
  /** Finds the model that worked in this iteration, if it is known. */
  readonly findModel?: (run: RunId, iteration: number) => Promise<string | undefined>
}

export interface CertifierWorkspace extends Pick<RunPlace, 'workspace' | 'checkout' | 'worktree'> {
  readonly placed: Pick<NonNullable<RunPlace['placed']>, 'repository'> | undefined
  /** Paths that are not part of the tree. */
  readonly exclude?: readonly string[] | undefined
}

export async function createHostCertifier(
  base: CertifierBase,
  place: CertifierWorkspace,
  certifying: CertifyingParts,
  as: CertificateSubject = {},
): Promise<Certifier> {
  const { folder: stateFolder, blobs, clock } = base
  const { workspace, checkout } = place
  const repository = place.placed?.repository
  const reader = createTreeReader({ blobs, folder: stateFolder, repository })
  const { certify, seals } = certifying
  const options = {
    reader,
    blobs,
    stateFolder,
    repository,
    workspace,
    checkout,
    certifying,
    ...defined({ clock: base.phaseClock }),
  }
  return createCertifier({
    reader,
    seals: toSealRules(certifying),
    changes: seals.changes,
    deadlineMs: certify.deadlineMs,
    consultants: certify.consult.map(({ name, prompt, timeoutMs, agent }) => ({
      name,
      prompt,
      timeoutMs,
      agent: agentName(agent),
    })),
    raised: fileRaisedConcerns(stateFolder),
    ...defined({ scope: certifying.scope }),
    required: certify.require,
    quick: certify.quick,
    bases: createFileBaseAnswers(stateFolder),
    dependencies: {
      needed: (lockfileTree) =>
        listNeededApprovals({
          reader,
          lockfileTree,
          mode: certify.dependencies,
          stateFolder,
        }),
      approve: (items, by) =>
        openApprovedItems(stateFolder).approve(
          items.map(({ id }) => id),
          by,
        ),
    },
    open: (request) => openCertifyingCheckout(request, options),
    findAlternativeCommand: (tree) => findTestCommand(reader, tree),
    issue: (certified) => issue(base, place, certified, as),
    token: () => randomUUID(),
    now: () => clock.now(),
  })
}

const toSealRules = ({ seals, sealedFiles }: CertifyingParts): SealRules => ({
  paths: seals.paths,
  except: seals.except,
  keys: seals.keys,
  names: sealedFiles,
})

/** Finds the usual test command for the stack of these files. */
async function findTestCommand(reader: TreeReader, tree: TreeId): Promise<string | undefined> {
  const { commands } = await planCondition(reader, tree, 'all_tests_pass')
  const [first] = commands
  return first === undefined ? undefined : first.argv.join(' ')
}

async function issue(
  { folder, blobs, clock }: CertifierBase,
  place: CertifierWorkspace,
  certified: Certified,
  as: CertificateSubject,
): Promise<CertificateId> {
  const { worktree } = place
  const { run, iteration } = certified.subject
  const model = await as.findModel?.(run, iteration)
  const draft = await createCertificateDraft(certified, {
    async keep(output) {
      const { blob, bytes } = await blobs.put(output)
      return { sha256: blob, bytes }
    },
    calibrationOf: ({ check }) => findCalibration(folder, certified.subject.loop, check),
    now: () => clock.now(),
    ...(worktree === undefined ? {} : { baseCommit: worktree.base.commit }),
    ...defined({ what: as.what, model, baseCommit: as.baseCommit }),
  })
  const excluded = listExcluded(place, folder)
  const { layer } = draft
  const isUnapproved = as.hasNoBase === true && layer?.from === 'installed'
  const complete = {
    ...draft,
    ...(excluded.length === 0 ? {} : { apart: excluded }),
    ...(isUnapproved ? { layer: { ...layer, lockfile: 'unapproved' as const } } : {}),
  }
  const { id } = await issueCertificate(complete, { folder, now: () => clock.now() })
  return id
}

/** Lists the paths that `openWorkspace` excludes. */
function listExcluded(
  { workspace, placed, exclude = [] }: CertifierWorkspace,
  stateFolder: string,
): string[] {
  const inside =
    workspace === undefined || placed !== undefined ? undefined : pathInside(workspace, stateFolder)
  return inside === undefined ? [...exclude] : [...exclude, inside]
}

async function findCalibration(
  stateFolder: string,
  loop: string,
  check: OpenCheck,
): Promise<CertifiedCalibration | undefined> {
  const known = await readCalibration(stateFolder, loop, check)
  if (known === undefined) return undefined
  const { falseAccepts, falseRejects, ref } = known
  return { falseAccepts: toErrorRate(falseAccepts), falseRejects: toErrorRate(falseRejects), ref }
}

const toErrorRate = ({ count, n, low, high }: Share): ErrorRate => ({ count, of: n, low, high })
