/**
 * Faults, planted with the same operators that mend them. Each knows the way back.
 *
 * What the operators can do in one edit is what the repair agent looks for, except that some of them take
 * out what cannot be worked out again: those are marked.
 */

import { applyEdit, type Draft, type Edit, inverseOf, lineOf } from './edit.ts'
import { type Operator, operators } from './operators/index.ts'
import { proposeEdits } from './propose-edits.ts'
import { parseSource, type SourceFile } from './source-file.ts'

/** A fault that `plant` put into a source text. */
export interface PlantedFault {
  readonly edit: Edit
  readonly line: number
  readonly losesInformation: boolean
  /** The file with the fault in it. */
  readonly text: string
  /** Takes it out of that text again. */
  readonly inverse: Draft
}

/** The operators that plant; new ones go to the end of the list. */
export const plantingOperators: readonly Operator[] = operators.filter(({ plants }) => plants)

/** All faults of one operator in a file; none if the file cannot be read as JavaScript or TypeScript. */
export function faultsOf(operator: Operator, path: string, text: string): readonly PlantedFault[] {
  const file = parseSource(path, text)
  if (file === undefined) return []
  return proposeEdits(file, { operators: [operator] }).map((edit) => faultOf(file, edit, operator))
}

/** What cannot even be read is no fault but a slip. */
const isReadable = ({ edit, text }: PlantedFault): boolean =>
  parseSource(edit.file, text) !== undefined

function faultOf(file: SourceFile, edit: Edit, { losesInformation }: Operator): PlantedFault {
  return {
    edit,
    line: lineOf(file.text, edit.start),
    losesInformation,
    text: applyEdit(file.text, edit),
    inverse: inverseOf(file.text, edit),
  }
}

/** Where `plant` looks for a fault to plant. */
export interface PlantOptions {
  /** Path and text of each file in which a fault may be. */
  readonly files: readonly { readonly path: string; readonly text: string }[]
  /** In [0, 1), from a seed. */
  readonly random: () => number
  readonly operators?: readonly Operator[]
}

/** One fault: first the operator is drawn, then the file, then the place, so that common ones do not win. */
export function plant({
  files,
  random,
  operators: drawn = plantingOperators,
}: PlantOptions): PlantedFault | undefined {
  const left = [...drawn]
  while (left.length > 0) {
    const [operator] = left.splice(Math.floor(random() * left.length), 1)
    if (operator === undefined) continue
    const places = files
      .map(({ path, text }) => faultsOf(operator, path, text))
      .filter((faults) => faults.length > 0)
    const faults = places[Math.floor(random() * places.length)] ?? []
    const fault = faults[Math.floor(random() * faults.length)]
    if (fault !== undefined && isReadable(fault)) return fault
  }
  return undefined
}

/** The source text without the planted fault. */
export const unplant = (fault: PlantedFault): string => applyEdit(fault.text, fault.inverse)
