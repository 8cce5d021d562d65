/**
 * The final report of the repair agent: what it changed, what it tried, and what it does not know.
 */

import { plural } from '../../loop/excerpt/plural.ts'
import type { Candidate } from './candidates.ts'
import { describeEdit } from './edit.ts'
import type { Search } from './open-search.ts'
import type { SourceFile } from './source-file.ts'

export interface Tally {
  readonly from: number
  tried: number
  /** Passed the visible tests, but failed some that were held back. */
  overfit: number
  /** Passed all tests here, but failed the checks. */
  refused: number
  hung: number
}

export const nothingToDo = 'The checks already pass. Nothing was changed.'

/** A command that runs no test passes too. */
export const noTests: string =
  `${nothingToDo} No JavaScript or TypeScript test was seen to run here: verify that the checks ` +
  'run any test at all.'

export const noSource: string =
  'There is no JavaScript or TypeScript source here that can be changed: files that cannot be parsed ' +
  'without a build (JSX, TypeScript with enums or namespaces) are not searched.'

export const describeFound = ({ text }: SourceFile, edit: Candidate): string =>
  `Found: ${describeEdit(text, edit)}. Running the checks.`

export interface Fix {
  readonly file: SourceFile
  readonly edit: Candidate
  readonly search: Search
  readonly tally: Tally
}

export function describeFix({ file, edit, search, tally }: Fix): string {
  const held =
    search.heldBack > 0
      ? `${plural(search.heldBack, 'test')} ${search.heldBack === 1 ? 'was' : 'were'} held back from the search; with it, all of them pass.`
      : 'No tests could be held back from the search, so only the checks support it.'
  return [
    `Changed ${describeEdit(file.text, edit)} (${edit.operator}).`,
    `The checks pass with it. ${held}${describeEarlier(tally)}`,
    `It was edit ${tally.from + tally.tried} of ${search.candidates.length}.`,
    'This is the first small edit that makes the checks pass. Checks cannot tell whether it is what was ' +
      'intended: about one in ten such edits is wrong. Review it.',
  ].join('\n')
}

function describeEarlier({ overfit, refused }: Tally): string {
  const parts = [
    ...(overfit > 0
      ? [`${overfit} earlier edits passed the visible tests and failed some that were held back.`]
      : []),
    ...(refused > 0
      ? [`${refused} earlier edits passed the tests one by one and failed the checks.`]
      : []),
  ]
  return parts.length === 0 ? '' : ` ${parts.join(' ')}`
}

export const describeExhausted = (search: Search, tally: Tally): string =>
  [
    `None of ${search.candidates.length} small edits makes the checks pass. Use an agent with a model, or fix it by hand.`,
    `This agent makes one edit: it cannot fix two bugs at once, or write missing code. Nothing was changed.${describeEarlier(tally)}`,
  ].join('\n')

export const describeUnfinished = (search: Search, tally: Tally): string =>
  [
    `${tally.tried} edits tried, ${tally.from + tally.tried} of ${search.candidates.length} so far; none makes ` +
      `the checks pass.${describeEarlier(tally)}${tally.hung > 0 ? ` ${tally.hung} did not end and were interrupted.` : ''}`,
    'Nothing was changed. The next iteration continues here:',
  ].join('\n')
