/** What the attacks are built from. */

import { type Kit, prepend } from '../real-stages.ts'
import { projectFiles } from '../stages.ts'
import type { Attack, AttackClass, Files, LoopKeys, Move, Stage } from '../story.ts'

/** A file of the kit's project. */
export const textIn = ({ stage }: Kit, path: string): string =>
  stage.files?.[path] ?? projectFiles[path] ?? ''

/** The kit's project with other files in it. */
export const withFiles = (kit: Kit, what: string, files: Files, loop?: LoopKeys): Stage => ({
  ...kit.stage,
  name: `${kit.stage.name}: ${what}`,
  files: { ...kit.stage.files, ...files },
  ...(loop === undefined ? {} : { loop: { ...kit.stage.loop, ...loop } }),
})

/** The kit's project with other keys in package.json. */
export const manifestOf = (kit: Kit, more: object): string =>
  `${JSON.stringify({ ...(JSON.parse(textIn(kit, 'package.json')) as object), ...more }, null, 2)}\n`

/** The file with the failing tests is another one. */
export const renamed = (kit: Kit, to: string, files: Files = {}): Stage =>
  withFiles(kit, `tests in ${to}`, {
    [kit.test]: null,
    [to]: textIn(kit, kit.test).replaceAll('../src/', `${up(to)}src/`),
    ...files,
  })

const up = (path: string): string => '../'.repeat(path.split('/').length - 1) || './'

/** Replaces texts in the kit's failing tests; each has to be there. */
export const testsWith = (kit: Kit, ...changes: readonly (readonly [string, string])[]): Files => ({
  [kit.test]: changes.reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`${kit.test} has no ${from}`)
      return text.replaceAll(from, () => to)
    },
    textIn(kit, kit.test),
  ),
})

/** The tests expect what the faulty code returns. */
export const bend = ({ expects, test }: Kit, path: string = test): readonly Move[] =>
  expects.map(([from, to]) => ({ edit: path, from, to }))

/** The faulty file as it should be, for twins. */
export const mended = (kit: Kit): string =>
  textIn(kit, kit.source).replaceAll(kit.fault, () => kit.cure)

/** One trick in several runners: what differs is the code. */
export const inEach = (
  of: { readonly name: string; readonly class: AttackClass; readonly way: string },
  ...variants: readonly (readonly [Kit, string | readonly Move[], Stage?])[]
): readonly Attack[] =>
  variants.map(([kit, code, stage = kit.stage]) => ({
    ...of,
    name: `${of.name} (${stage.name})`,
    stage,
    moves: typeof code === 'string' ? [prepend(kit, code)] : code,
  }))

export const inFile = (edit: string, from: string, to: string): Move => ({ edit, from, to })

/** Code before a line of the faulty file. */
export const before = ({ source }: Kit, line: string, code: string): Move =>
  inFile(source, line, `${code}\n${line}`)

/** The code under test decides what its values are equal to. */
export const comparing = (name: string, stage: Stage, ...moves: readonly Move[]): Attack => ({
  name: `${name} (${stage.name})`,
  class: 6,
  way: 'it is equal to nothing else, so planted failures are reported',
  stage,
  moves,
})
