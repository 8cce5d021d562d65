/** Converts the results of an examination to the parts of a certificate. Pure. */

import type { Subject } from '../../engine/index.ts'
import { defined } from '../../loop/index.ts'
import type { StrengthParts, TestEvidence } from '../../protocol/index.ts'
import type { Certified, Examination } from './certification.ts'
import type { ComparedTests } from './compare-tests.ts'
import { isOutsideWork } from './observations.ts'

/** `approved`: paths that were approved before anything ran. Everything else was approved, or needs no approval. */
export function toCertified(
  subject: Subject,
  examined: Examination,
  approved: ReadonlySet<string>,
): Omit<Certified, 'approvals'> {
  const { layer, sandbox, own, sealed, changes, consultations } = examined
  const reads = own.flatMap(({ check, observation }) =>
    observation.read === undefined ? [] : [[check.name, observation.read] as const],
  )
  const isApproved = new Set([
    ...approved,
    ...changes.filter(isOutsideWork).map(({ path }) => path),
  ])
  return {
    subject,
    layer,
    ...defined({ sandbox }),
    own,
    sealed,
    sealedChanges: changes.filter((change) => isApproved.has(change.path)),
    consultations,
    reads: new Map(reads),
    proof: toStrengthParts(examined, isApproved),
  }
}

function toStrengthParts(examined: Examination, approved: ReadonlySet<string>): StrengthParts {
  const { own, changes, controls, strength, compared } = examined
  const commands = own.filter(({ check }) => check.kind === 'command')
  const isObserved = (part: 'read' | 'written'): boolean =>
    commands.length > 0 && commands.every(({ observation }) => observation[part] !== undefined)
  return {
    strength,
    tests: [...compared].map(([check, tests]) => toTestEvidence(examined, check, tests)),
    commands: [...examined.commands].map(([check, { files, noticed, unnoticed, runsWork }]) => ({
      check,
      files: files.toSorted(),
      ableToFail: noticed,
      unnoticed,
      runsWork,
    })),
    controls: controls.map(({ name, ran, held }) => ({
      name,
      checks: ran.map(({ check, result }) => ({ name: check.name, status: result.status })),
      held,
    })),
    changes: changes.map(({ path, class: kind }) => ({
      path,
      class: kind,
      ...(approved.has(path) ? { approved: true as const } : {}),
    })),
    observed: {
      reads: isObserved('read') ? 'inotify' : 'none',
      writes: isObserved('written') ? 'overlay' : 'none',
    },
  }
}

function toTestEvidence(
  { own, able, controls }: Examination,
  check: string,
  { redToGreen, keptGreen, added, skipped }: ComparedTests,
): TestEvidence {
  const runners = own.find((ran) => ran.check.name === check)?.observation.runners ?? []
  const { shown, unnoticed, unplanted } = able.get(check) ?? {}
  const reverted = controls.find(({ name }) => name === 'work-taken-back')?.ran
  const without = reverted?.find((ran) => ran.check.name === check)?.observation.tests
  const passed = new Set(without?.filter(({ status }) => status === 'passed').map(({ id }) => id))
  const isNotShown = ({ id }: { readonly id: string }): boolean =>
    unnoticed?.has(id) === true || unplanted?.has(id) === true || shown?.has(id) !== true
  return {
    check,
    runners: [...new Set(runners.map(({ name }) => name))],
    redToGreen: redToGreen.map(({ id }) => ({ id, ableToFail: shown?.get(id) ?? [] })),
    keptGreen: keptGreen.length,
    added: added.length,
    addedRedWithoutWork:
      without === undefined ? 0 : added.filter(({ id }) => !passed.has(id)).length,
    skipped: skipped.length,
    notShownAbleToFail: redToGreen.filter(isNotShown).map(({ id }) => id),
  }
}
