/**
 * Plants defects with the same operators that repair them. Each defect has its inverse.
 *
 * What the operators can do in one edit is what the repair agent searches for, except that some
 * remove what cannot be derived again: those are marked.
 */

import { applyEdit, type Draft, type Edit, invertEdit, lineNumberAt } from './edit.ts'
import { type Operator, operators } from './operators/index.ts'
import { proposeEdits } from './propose-edits.ts'
import { parseSource, type SourceFile } from './source-file.ts'

/** A fault that `plant` put into a source text. */
export interface PlantedFault {
  readonly edit: Edit
  readonly line: number
  readonly losesInformation: boolean
  /** The file with the defect. */
  readonly text: string
  /** Removes it from that text again. */
  readonly inverse: Draft
}

/** The operators that plant; new ones go to the end of the list. */
export const plantingOperators: readonly Operator[] = operators.filter(({ plants }) => plants)

/**
 * All defects of one operator in a file; none if it cannot be parsed as JavaScript or TypeScript.
 */
export function listDefects(
  operator: Operator,
  path: string,
  text: string,
): readonly PlantedFault[] {
  const file = parseSource(path, text)
  if (file === undefined) return []
  return proposeEdits(file, { operators: [operator] }).map((edit) =>
    toPlantedFault(file, edit, operator),
  )
}

/** A syntax error is not a useful defect. */
const isReadable = ({ edit, text }: PlantedFault): boolean =>
  parseSource(edit.file, text) !== undefined

function toPlantedFault(
  file: SourceFile,
  edit: Edit,
  { losesInformation }: Operator,
): PlantedFault {
  return {
    edit,
    line: lineNumberAt(file.text, edit.start),
    losesInformation,
    text: applyEdit(file.text, edit),
    inverse: invertEdit(file.text, edit),
  }
}

/** Where `plant` looks for a fault to plant. */
export interface PlantOptions {
  /** Path and text of each file that may get a defect. */
  readonly files: readonly { readonly path: string; readonly text: string }[]
  /** In [0, 1), from a seed. */
  readonly random: () => number
  readonly operators?: readonly Operator[]
}

/**
 * One defect: first the operator is drawn, then the file, then the location, so that common
 * operators do not dominate.
 */
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
      .map(({ path, text }) => listDefects(operator, path, text))
      .filter((faults) => faults.length > 0)
    const faults = places[Math.floor(random() * places.length)] ?? []
    const fault = faults[Math.floor(random() * faults.length)]
    if (fault !== undefined && isReadable(fault)) return fault
  }
  return undefined
}

/** The source text without the planted fault. */
export const unplant = (fault: PlantedFault): string => applyEdit(fault.text, fault.inverse)
