/** Turns the results of a certification into a certificate draft. */

import type { Subject } from '../../engine/index.ts'
import { defined } from '../../loop/index.ts'
import {
  type CertificateDraft,
  type CertifiedCheck,
  type ChangeNote,
  changesMax,
  type ReadFiles,
} from '../../protocol/index.ts'
import type { DependencyLayer } from '../parts.ts'
import type { Certified } from './certification.ts'
import type { CheckRun } from './run-checks.ts'

/** Stores the output of a check, so that people can read it. */
export type KeepOutput = (
  output: string,
) => Promise<{ readonly sha256: string; readonly bytes: number }>

export type Calibrations = (
  ran: CheckRun,
) => Promise<NonNullable<CertifiedCheck['calibration']> | undefined>

export interface DraftParts {
  readonly keep: KeepOutput
  readonly calibrationOf: Calibrations
  readonly now: () => number
  /** What it certifies, if not a run. */
  readonly what?: CertificateDraft['what']
  /** The commit of the base, if it has one. */
  readonly baseCommit?: string
  readonly model?: string
}

export async function createCertificateDraft(
  certified: Certified,
  parts: DraftParts,
): Promise<CertificateDraft> {
  const { subject, layer, own, sealed, sealedChanges, approvals, consultations } = certified
  const { proof = {}, reads } = certified
  const { tree, base, commit, agent, spent, limits, activeMs } = subject
  const sandbox = certified.sandbox ?? subject.sandbox
  const iso = (ms: number): string => new Date(ms).toISOString()
  const at = iso(parts.now())
  const [approval] = approvals
  const { baseCommit, model } = parts
  return {
    what: parts.what ?? toSubject(subject),
    ...defined({ tree, commit }),
    ...(base === undefined ? {} : { base: { tree: base, ...defined({ commit: baseCommit }) } }),
    rests:
      own.length === 0
        ? { checks: [], code: subject.condition }
        : { checks: own.map(({ check }) => check.name) },
    checks: [
      ...(await toCertifiedChecks(own, 'own', parts, reads)),
      ...(await toCertifiedChecks(sealed, 'sealed', parts)),
    ],
    sealed: {
      changes: sealedChanges.map(({ path, what, keys = [] }) => ({
        path,
        what,
        ...(keys.length === 0 ? {} : { keys }),
      })),
      ...(approval === undefined || sealedChanges.length === 0
        ? {}
        : { approval: { by: approval.by, at, digest: approval.diffDigest } }),
    },
    approvals: approvals.map(({ codes, by, diffDigest, atMs }) => ({
      codes,
      by,
      at: atMs === undefined ? at : iso(atMs),
      digest: diffDigest,
    })),
    consultations: consultations.map(({ name, status, agent: who, atMs, reasons }) => ({
      name,
      status,
      agent: who,
      at: iso(atMs),
      ...(reasons.length === 0 ? {} : { summary: reasons.map(({ text }) => text).join('\n') }),
    })),
    ...(layer === undefined ? {} : { layer: toCertifiedLayer(layer) }),
    ...defined({ sandbox }),
    policy: toPolicyDecision(subject),
    budget: { spent, limits, activeMs },
    ...defined({ agent, model }),
    ...proof,
    ...(proof.changes === undefined ? {} : limitChanges(proof.changes)),
  }
}

function toPolicyDecision({ policy }: Subject): CertificateDraft['policy'] {
  if (policy === undefined) return { decision: 'none', set: 'none' }
  const { digest, rules } = policy
  return { decision: 'allow', set: digest, ...defined({ rules }) }
}

/** Keeps those that a person must know about; the others may only be counted. */
function limitChanges(
  changes: readonly ChangeNote[],
): Pick<CertificateDraft, 'changes' | 'changesNotListed'> {
  const isImportant = ({ class: changeClass }: ChangeNote): boolean =>
    changeClass === 'sealed' || changeClass === 'other' || changeClass === 'dependencies'
  const sorted = [
    ...changes.filter(isImportant),
    ...changes.filter((change) => !isImportant(change)),
  ]
  const more = sorted.length - changesMax
  return {
    changes: sorted.slice(0, changesMax),
    ...(more > 0 ? { changesNotListed: more } : {}),
  }
}

const toCertifiedLayer = ({
  from,
  digest,
  summary,
  resolved,
  approved = [],
}: DependencyLayer): NonNullable<CertificateDraft['layer']> => ({
  from,
  digest,
  summary,
  ...defined({ resolved }),
  ...(approved.length === 0 ? {} : { approved: approved.map(({ id }) => id) }),
})

function toSubject({
  run,
  name,
  loop,
  source,
  codeDigest,
  iteration,
  condition,
}: Certified['subject']): CertificateDraft['what'] {
  const from = defined({ source })
  return { type: 'run', run, name, loop, ...from, codeDigest, iteration, condition }
}

async function toCertifiedChecks(
  ran: readonly CheckRun[],
  pass: CertifiedCheck['pass'],
  parts: DraftParts,
  reads?: Certified['reads'],
): Promise<readonly CertifiedCheck[]> {
  const checks: CertifiedCheck[] = []
  for (const one of ran) {
    const { check, result, startedAtMs, endedAtMs, answers } = one
    const { status, exitCode, counts, output, whole = output, flaky, existing, allowed } = result
    const calibration = await parts.calibrationOf(one)
    const read = reads?.get(check.name)
    checks.push({
      name: check.name,
      kind: check.kind,
      pass,
      command: check.command,
      toolDigest: check.toolDigest,
      status,
      ...defined({ exitCode }),
      output: await parts.keep(whole),
      ...defined({ counts }),
      startedAt: new Date(startedAtMs).toISOString(),
      endedAt: new Date(endedAtMs).toISOString(),
      ...(flaky === true ? { flaky: answers } : {}),
      ...(existing === true ? { existing } : {}),
      ...(allowed === true ? { allowed } : {}),
      ...defined({ calibration }),
      ...(read === undefined ? {} : { reads: await keepReads(read, parts.keep) }),
    })
  }
  return checks
}

async function keepReads(read: readonly string[], keep: KeepOutput): Promise<ReadFiles> {
  const paths = read.toSorted()
  const { sha256 } = await keep(paths.map((path) => `${path}\n`).join(''))
  return { count: paths.length, digest: sha256 }
}
