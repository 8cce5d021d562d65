/** What the repair agent says at the end: what it changed, what it tried, and what it does not know. */

import type { Candidate } from './candidates.ts'
import { describeEdit } from './edit.ts'
import type { Search } from './open-search.ts'
import type { SourceFile } from './source-file.ts'

export interface Tally {
  readonly from: number
  tried: number
  /** Passed what the search saw, and failed what was held back. */
  overfit: number
  /** Passed all tests here, and not the checks. */
  refused: number
  hung: number
}

export const nothingToDo = 'The checks pass as it is. Nothing was changed.'

/** A command that runs no test passes too. */
export const noTests: string =
  `${nothingToDo} No JavaScript or TypeScript test was seen to run here: look whether the checks ` +
  'run any test at all.'

export const noSource: string =
  'There is no JavaScript or TypeScript source here that could be changed: files that cannot be read ' +
  'without being built (JSX, TypeScript with enums or namespaces) are not searched.'

export const foundOne = ({ text }: SourceFile, edit: Candidate): string =>
  `Found: ${describeEdit(text, edit)}. The checks decide.`

export interface Mended {
  readonly file: SourceFile
  readonly edit: Candidate
  readonly search: Search
  readonly tally: Tally
}

export function mended({ file, edit, search, tally }: Mended): string {
  const held =
    search.heldBack > 0
      ? `${search.heldBack} tests were held back from the search, and pass with it.`
      : 'No tests could be held back from the search, so nothing speaks for it but the checks.'
  return [
    `Changed ${describeEdit(file.text, edit)} (${edit.operator}).`,
    `The checks pass with it. ${held}${earlier(tally)}`,
    `It was edit ${tally.from + tally.tried} of ${search.candidates.length}.`,
    'It is the first small edit that makes the checks pass. Whether it is what was meant, checks cannot ' +
      'tell: about one in ten such edits is wrong. Read it.',
  ].join('\n')
}

function earlier({ overfit, refused }: Tally): string {
  const parts = [
    ...(overfit > 0
      ? [`${overfit} earlier edits passed what the search saw and failed what was held back.`]
      : []),
    ...(refused > 0
      ? [`${refused} earlier edits passed the tests one by one and failed the checks.`]
      : []),
  ]
  return parts.length === 0 ? '' : ` ${parts.join(' ')}`
}

export const exhausted = (search: Search, tally: Tally): string =>
  [
    `None of ${search.candidates.length} small edits makes the checks pass.${earlier(tally)}`,
    'This agent mends faults that one small edit mends; what was taken out it cannot invent. Nothing was ' +
      'changed. Give the task to a model or to a person.',
  ].join('\n')

export const unfinished = (search: Search, tally: Tally): string =>
  [
    `${tally.tried} edits tried, ${tally.from + tally.tried} of ${search.candidates.length} so far; none makes ` +
      `the checks pass.${earlier(tally)}${tally.hung > 0 ? ` ${tally.hung} did not end and were broken off.` : ''}`,
    'Nothing was changed. The next iteration goes on here:',
  ].join('\n')
