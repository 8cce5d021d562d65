/** Plants with the repair agent's operators in what that reads, and sign by sign in other languages. */

import { type Defect, type Planter, plainPlanter, type SourceText } from '../../evidence/index.ts'

const readByRepair = /\.[cm]?[jt]s$/

/** Longer files are left alone (E9). */
const charsMax = 256 * 1024

/** The operators are loaded only where something is planted. */
export async function openPlanter(): Promise<Planter> {
  const repair = await import('../../agents/repair/index.ts')
  return {
    defectsIn(file: SourceText): readonly Defect[] {
      if (!readByRepair.test(file.path)) return plainPlanter.defectsIn(file)
      if (file.text.length > charsMax) return []
      return repair.plantingOperators.flatMap((operator) =>
        repair.faultsOf(operator, file.path, file.text).map(({ edit, line, text }) => ({
          operator: operator.name,
          file: file.path,
          line,
          description: withoutPlace(repair.describeEdit(file.text, edit)),
          text,
        })),
      )
    },
    isReadable: ({ path, text }) =>
      !readByRepair.test(path) || repair.parseSource(path, text) !== undefined,
  }
}

/** The place is told beside it. */
const withoutPlace = (description: string): string => description.replace(/^.*?:\d+: /, '')
