/**
 * What a person tells a run while it works: free text, or a comment on a line of its diff.
 *
 *   sent ─▶ waits ─▶ delivered to the context of an iteration, or to a working agent ─▶ removed when that work ends
 *                     └ the step or the iteration is repeated: waits again
 */

import type { StepId, TreeId } from '../ids.ts'

export interface Guidance {
  /** The id of the decision it came with. */
  readonly id: number
  readonly by: string
  readonly atMs: number
  readonly text: string
  /** The line that it is about. Absent: the run as a whole. */
  readonly at?: LinePlace
}

/** A line of a file in a tree. */
export interface LinePlace {
  readonly file: string
  readonly line: number
  readonly tree?: TreeId
}

/** Guidance whose work has not ended. */
export interface OpenGuidance extends Guidance {
  /** The event that it came with. */
  readonly seq: number
  /** Where it is. Absent: it waits. */
  readonly delivered?: { readonly iteration: number; readonly step?: StepId }
}

/** The maximum number of texts that wait for delivery (E9). */
export const guidanceMax = 100

export const isWaiting = ({ delivered }: OpenGuidance): boolean => delivered === undefined

/**
 * What the context of an iteration contains: all earlier guidance that was not delivered to an agent. The same each time
 * that the iteration is continued.
 */
export const guidanceOfIteration = (
  guidance: readonly OpenGuidance[],
  iteration: number,
  fromSeq: number,
): readonly OpenGuidance[] =>
  guidance.filter(
    ({ seq, delivered }) =>
      seq < fromSeq &&
      (delivered === undefined ||
        (delivered.step === undefined && delivered.iteration === iteration)),
  )

export const toGuidance = ({
  seq: _seq,
  delivered: _delivered,
  ...guidance
}: OpenGuidance): Guidance => guidance

/** For prompts: the words of people are quoted, so that it is clear whose they are. */
export function describeGuidance(guidance: readonly Guidance[]): string {
  const parts = guidance.map(({ by, text, at }) => {
    const place = at === undefined ? '' : ` about line ${at.line} of ${at.file}`
    return `${by} says${place}:\n${text.trim().replaceAll(/^/gm, '> ')}`
  })
  return ['A person who watches this run tells you:', ...parts].join('\n\n')
}
