/** What was examined, as the parts of a certificate. Pure. */

import type { Subject } from '../../engine/index.ts'
import { defined } from '../../loop/index.ts'
import type { StrengthParts, TestEvidence } from '../../protocol/index.ts'
import type { Certified } from './certifier.ts'
import type { ComparedTests } from './compare-tests.ts'
import type { Examined } from './examine.ts'
import { isAside } from './seen.ts'

/** `approved`: paths that were approved before anything ran. The rest was approved, or there is nothing to ask. */
export function certifiedFrom(
  subject: Subject,
  examined: Examined,
  approved: ReadonlySet<string>,
): Omit<Certified, 'approvals'> {
  const { layer, walls, own, sealed, changes, consultations } = examined
  const reads = own.flatMap(({ check, observation }) =>
    observation.read === undefined ? [] : [[check.name, observation.read] as const],
  )
  const isApproved = new Set([...approved, ...changes.filter(isAside).map(({ path }) => path)])
  return {
    subject,
    layer,
    ...defined({ walls }),
    own,
    sealed,
    sealedChanges: changes.filter((change) => isApproved.has(change.path)),
    consultations,
    reads: new Map(reads),
    proof: proofOf(examined, isApproved),
  }
}

function proofOf(examined: Examined, approved: ReadonlySet<string>): StrengthParts {
  const { own, changes, controls, strength, compared } = examined
  const commands = own.filter(({ check }) => check.kind === 'command')
  const has = (part: 'read' | 'written'): boolean =>
    commands.length > 0 && commands.every(({ observation }) => observation[part] !== undefined)
  return {
    strength,
    tests: [...compared].map(([check, tests]) => evidenceOf(examined, check, tests)),
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
      reads: has('read') ? 'inotify' : 'none',
      writes: has('written') ? 'overlay' : 'none',
    },
  }
}

function evidenceOf(
  { own, able, controls }: Examined,
  check: string,
  { redToGreen, keptGreen, added, skipped }: ComparedTests,
): TestEvidence {
  const runners = own.find((ran) => ran.check.name === check)?.observation.runners ?? []
  const { shown, unnoticed, unplanted } = able.get(check) ?? {}
  const back = controls.find(({ name }) => name === 'work-taken-back')?.ran
  const without = back?.find((ran) => ran.check.name === check)?.observation.tests
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
