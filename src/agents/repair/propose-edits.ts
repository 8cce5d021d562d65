/** All edits that the operators propose for a file, each once. */

import type { AnyNode } from 'acorn'
import { type Edit, insertedText } from './edit.ts'
import { createPools, type Operator, operators } from './operators/index.ts'
import { type SourceFile, walk } from './source-file.ts'

export interface ProposedEdit extends Edit {
  /** How likely it is to fix something, regardless of its location. */
  readonly prior: number
}

export interface ProposeOptions {
  /** Default: all. */
  readonly operators?: readonly Operator[]
  /** String literals that tests expect, as written there. */
  readonly wanted?: readonly string[]
  /** Whether this offset is of interest. */
  readonly isRelevant?: (offset: number) => boolean
}

/** For one file, however long (E9). */
const editsMax = 200_000

const isList = ({ type }: AnyNode): boolean =>
  type === 'Program' || type === 'BlockStatement' || type === 'SwitchCase'

export function proposeEdits(file: SourceFile, options: ProposeOptions = {}): ProposedEdit[] {
  const used = options.operators ?? operators
  const pools = createPools(file, options.wanted)
  const edits = new Map<string, ProposedEdit>()
  walk(file.program, (node, ancestors) => {
    const isRelevant = (offset: number): boolean => options.isRelevant?.(offset) !== false
    // A list may start outside the range of interest and extend into it.
    if (!(isRelevant(node.start) || isList(node)) || edits.size >= editsMax) return
    for (const operator of used) {
      for (const draft of operator.propose({ node, ancestors, file, pools })) {
        if (!isRelevant(draft.start)) continue
        const inserted = insertedText(file.code, draft)
        if (inserted === file.code.slice(draft.start, draft.end)) continue
        const prior = operator.prior * (draft.weight ?? 1)
        const key = `${draft.start}:${draft.end}:${inserted}`
        const known = edits.get(key)
        if (known !== undefined && known.prior >= prior) continue
        edits.set(key, { ...draft, file: file.path, operator: operator.name, prior })
      }
    }
  })
  return [...edits.values()]
}
