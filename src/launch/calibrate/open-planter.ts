/** Plants defects with the operators of the repair agent in its languages, and by text in other languages. */

import { type Defect, type Planter, plainPlanter, type SourceText } from '../../evidence/index.ts'

const readByRepair = /\.[cm]?[jt]s$/

/** Longer files are skipped (E9). */
const charsMax = 256 * 1024

/** The operators are loaded on first use. */
export async function openPlanter(): Promise<Planter> {
  const repair = await import('../../agents/repair/index.ts')
  return {
    defectsIn(file: SourceText): readonly Defect[] {
      if (!readByRepair.test(file.path)) return plainPlanter.defectsIn(file)
      if (file.text.length > charsMax) return []
      return repair.plantingOperators.flatMap((operator) =>
        repair.listDefects(operator, file.path, file.text).map(({ edit, line, text }) => ({
          operator: operator.name,
          file: file.path,
          line,
          description: withoutLocation(repair.describeEdit(file.text, edit)),
          text,
        })),
      )
    },
    isReadable: ({ path, text }) =>
      !readByRepair.test(path) || repair.parseSource(path, text) !== undefined,
  }
}

/** File and line are reported separately. */
const withoutLocation = (description: string): string => description.replace(/^.*?:\d+: /, '')
