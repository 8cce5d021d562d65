/** What a composer proposes: a structural change of an artifact, with the mechanism that it works by. */

export interface Option {
  /** Unique in the run, such as `2.1`: the first option of iteration 2. */
  readonly id: string
  readonly name: string
  readonly summary: string
  /** Why it should work. For the search composer: the knobs that it turns. */
  readonly mechanism: string
  readonly edits: readonly Edit[]
  readonly prediction: Prediction
  readonly isRecommended: boolean
}

export interface Edit {
  /** An artifact, as the manifest has it. */
  readonly file: string
  readonly section: string
  /** Exactly as in the file. */
  readonly current: string
  readonly proposed: string
}

export interface Prediction {
  /** Ids of cases. */
  readonly improves: readonly string[]
  /** Expected gain of the mean score. Absent: not known. */
  readonly gain?: number
}

export interface Composition {
  readonly rootCause: string
  /** The recommended one first. */
  readonly options: readonly Option[]
}

/** The text of a file after edits. Undefined: a current text is not in it exactly once. */
export function applyEdits(text: string, edits: readonly Edit[]): string | undefined {
  let edited = text
  for (const { current, proposed } of edits) {
    const parts = edited.split(current)
    if (current === '' || parts.length !== 2) return undefined
    edited = parts.join(proposed)
  }
  return edited
}
