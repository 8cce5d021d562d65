/** Looks at what the loop would hand over: the artifacts, and what the plan demanded. Pure. */

import { applyToVersion } from '../compose/check-proposal.ts'
import type { Ended, Looping } from '../tune-state.ts'
import { artifactCharsMax } from '../workload/limits.ts'

export interface Checkpoint {
  readonly name: string
  readonly isMet: boolean
  readonly detail: string
}

export const validateArtifacts = (looping: Looping): readonly Checkpoint[] => {
  const { incumbent, workload } = looping
  const { artifacts } = incumbent.version
  return [
    ...Object.entries(artifacts).map(([path, text]) => {
      const problem = findProblem(text, workload.original.artifacts[path] ?? '')
      return { name: `${path} is valid`, isMet: problem === undefined, detail: problem ?? 'yes' }
    }),
    explainVersion(looping),
  ]
}

function findProblem(text: string, original: string): string | undefined {
  if (text.trim() === '' && original.trim() !== '') return 'it is empty'
  if (text.length > artifactCharsMax) return `it has more than ${artifactCharsMax} characters`
  if (text.includes('\0')) return 'it contains a NUL'
  if (isJson(original) && !isJson(text)) return 'it was JSON, and is not any more'
  if (/^(?:<{7}|={7}|>{7})(?: |$)/m.test(text)) return 'it contains a conflict marker'
  return undefined
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The last version is the first one with the kept edits, and nothing else. */
function explainVersion({ trail, workload, incumbent }: Looping): Checkpoint {
  let artifacts = workload.original.artifacts
  for (const { measured } of trail) {
    const kept = measured?.options.find(({ result }) => result.type === 'kept')
    if (kept === undefined) continue
    const applied = applyToVersion({ artifacts }, kept.option.edits)
    // If not, it is an edit of an earlier loop that the files have already.
    if (applied.type === 'version') artifacts = applied.version.artifacts
  }
  const name = 'every change is a logged edit'
  const isMet = Object.entries(incumbent.version.artifacts).every(
    ([path, text]) => artifacts[path] === text,
  )
  return {
    name,
    isMet,
    detail: isMet ? 'yes' : 'the last version has text that no kept edit wrote',
  }
}

/** The criteria of the plan, and its experiments. */
export function checkPlan({
  plan,
  trail,
  incumbent,
  workload,
  proof,
}: Ended): readonly Checkpoint[] {
  if (plan === undefined) return []
  const { target } = plan.criteria
  const share = incumbent.passing.length / Math.max(1, workload.split.suite.length)
  const isImproved = proof?.type === 'claim' && proof.verdict === 'improved'
  const tried = trail.flatMap(({ measured }) => measured?.options.map(({ option }) => option) ?? [])
  const isTried = (section: string): boolean =>
    tried.some(({ edits }) => edits.some((edit) => edit.section === section))
  return [
    {
      name: 'minimum: the proof says "improved"',
      isMet: isImproved,
      detail: plan.criteria.minimum,
    },
    ...(target === undefined
      ? []
      : [
          {
            name: `target: ${Math.round(100 * target)} % of the cases pass`,
            isMet: share >= target,
            detail: `${Math.round(100 * share)} %`,
          },
        ]),
    ...plan.experiments.map(({ file, section }) => ({
      name: `experiment: ${section} of ${file}`,
      isMet: isTried(section) || section === 'all of it',
      detail: isTried(section) ? 'measured' : 'not measured in an iteration',
    })),
  ]
}
