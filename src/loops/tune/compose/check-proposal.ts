/**
 * The rules for what a composer proposes. Each is a sentence that a test states and that the composer is told when it broke it.
 * Pure.
 *
 *   exactly three options, one of them recommended
 *   each with a mechanism, and with the cases of the suite that it should fix
 *   each edit in an artifact, where its current text occurs exactly once
 *   in one place only, if the mode changes one variable at a time
 *   no edit that was tried, none that only rephrases, none that pastes words of a case
 */

import { artifactCharsMax } from '../workload/limits.ts'
import type { Version } from '../workload/workload.ts'
import { isCosmetic } from './cosmetic.ts'
import { applyEdits, type Edit } from './option.ts'
import { type CaseText, findPasted } from './pasted.ts'
import type { Proposal, ProposedOption } from './proposal.ts'

export interface ProposalRules {
  readonly incumbent: Version
  /** Ids of the cases that may be predicted: never a sealed one. */
  readonly suite: readonly string[]
  /** Those of them that do not pass now. */
  readonly failing: readonly string[]
  /** The edits of options that were measured before. */
  readonly tried: readonly (readonly Edit[])[]
  /** What the composer was given besides: its words belong to no case. */
  readonly docs: readonly string[]
  readonly cases: readonly CaseText[]
  /** `one`: an option changes one place. */
  readonly variables: 'one' | 'many'
}

const optionsWanted = 3
const mechanismWordsMin = 4

/** Empty: it follows the rules. */
export function findBrokenRules(proposal: Proposal, rules: ProposalRules): readonly string[] {
  const { options } = proposal
  const recommended = options.filter((one) => one.recommended).length
  return [
    ...(options.length === optionsWanted
      ? []
      : [`it has ${options.length} options: exactly ${optionsWanted} are needed`]),
    ...(recommended === 1 ? [] : [`${recommended} options are recommended: exactly one has to be`]),
    ...options.flatMap((option, at) =>
      findInOption(option, rules).map((problem) => `option ${at + 1}: ${problem}`),
    ),
    ...findTwins(options, rules.incumbent),
  ]
}

function findInOption(option: ProposedOption, rules: ProposalRules): readonly string[] {
  const applied = applyToVersion(rules.incumbent, option.edits)
  return [
    ...findInMechanism(option),
    ...(rules.variables === 'one' && option.edits.length > 1
      ? [`it changes ${option.edits.length} places: this mode changes one variable at a time`]
      : []),
    ...findInPrediction(option, rules),
    ...(applied.type === 'problem'
      ? [applied.problem]
      : findInVersion(option, applied.version, rules)),
  ]
}

function findInMechanism({ mechanism, summary }: ProposedOption): readonly string[] {
  const words = mechanism.match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length < mechanismWordsMin) {
    return ['it has no mechanism: say which structural change makes the difference, and why']
  }
  if (isCosmetic(mechanism, summary)) {
    return ['its mechanism only repeats its summary: say why the change works']
  }
  return []
}

function findInPrediction(
  { predicts }: ProposedOption,
  { suite, failing }: ProposalRules,
): readonly string[] {
  if (predicts.length === 0) return ['it predicts no case: name the cases that should pass then']
  const unknown = predicts.filter((id) => !suite.includes(id))
  if (unknown.length > 0) {
    return [`it predicts ${JSON.stringify(unknown[0])}, which is not one of the cases`]
  }
  return failing.length > 0 && !predicts.some((id) => failing.includes(id))
    ? ['all cases that it predicts pass already: name some that fail']
    : []
}

function findInVersion(
  { edits }: ProposedOption,
  version: Version,
  { incumbent, tried, docs, cases }: ProposalRules,
): readonly string[] {
  if (edits.every(({ current, proposed }) => isCosmetic(current, proposed))) {
    return ['it only changes whitespace, punctuation or words that mean the same']
  }
  const isTried = tried.some((before) => {
    const again = applyToVersion(incumbent, before)
    return again.type === 'version' && isSameVersion(again.version, version)
  })
  if (isTried) {
    return ['exactly this was tried before: see the history']
  }
  const known = [...Object.values(incumbent.artifacts), ...docs]
  const pasted = findPasted(edits.map(({ proposed }) => proposed).join('\n'), known, cases)
  return pasted.length === 0
    ? []
    : [`it contains the words of ${pasted.slice(0, 3).join(', ')}: write a rule, not an answer`]
}

function findTwins(options: readonly ProposedOption[], incumbent: Version): readonly string[] {
  const versions = options.flatMap(({ edits }, at) => {
    const applied = applyToVersion(incumbent, edits)
    return applied.type === 'version' ? [{ at, version: applied.version }] : []
  })
  return versions.flatMap(({ at, version }) => {
    const twin = versions.find((one) => one.at < at && isSameVersion(one.version, version))
    return twin === undefined ? [] : [`options ${twin.at + 1} and ${at + 1} are the same`]
  })
}

export type Applied =
  | { readonly type: 'version'; readonly version: Version }
  | { readonly type: 'problem'; readonly problem: string }

/** Edits of files that are not artifacts are refused: nothing else may change. */
export function applyToVersion({ artifacts }: Version, edits: readonly Edit[]): Applied {
  const foreign = edits.find(({ file }) => !Object.hasOwn(artifacts, file))
  if (foreign !== undefined) {
    const files = Object.keys(artifacts).join(', ')
    return problem(`${JSON.stringify(foreign.file)} is not an artifact: only ${files} may change`)
  }
  const changed: [string, string][] = []
  for (const [file, text] of Object.entries(artifacts)) {
    const edited = applyEdits(
      text,
      edits.filter((edit) => edit.file === file),
    )
    if (edited === undefined) {
      return problem(
        `a current text is not in ${file} exactly once: copy it from the file, with more around it`,
      )
    }
    if (edited.length > artifactCharsMax) {
      return problem(`${file} would have more than ${artifactCharsMax} characters`)
    }
    changed.push([file, edited])
  }
  return { type: 'version', version: { artifacts: Object.fromEntries(changed) } }
}

const problem = (text: string): Applied => ({ type: 'problem', problem: text })

export const isSameVersion = (one: Version, other: Version): boolean =>
  Object.entries(one.artifacts).every(([file, text]) => other.artifacts[file] === text)
