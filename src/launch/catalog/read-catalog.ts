/** Reads the loop files of the catalog, which are in the package, and says what each reads, does and needs. */

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseLoopFile } from '../../definition/loop-file/index.ts'
import { LoopError } from '../../loop/index.ts'
import { type GatherSource, type LoopFile, unknownName } from '../../protocol/index.ts'
import { type OutsideUse, usesGithub } from '../preflight/check-sources.ts'
import { type CatalogLoop, catalogLoops } from './catalog-loops.ts'

/** What the catalog says about one of its loops. */
export interface CatalogEntry extends CatalogLoop {
  readonly description: string
  readonly level: LoopFile['level']
  /** The kind of its action. */
  readonly action: string
  /** Its sources besides the files. */
  readonly reads: readonly GatherSource['type'][]
  /** What has to be there, in words. */
  readonly needs: readonly string[]
}

/** With its file, as it is in the package. */
export interface CatalogFile {
  readonly entry: CatalogEntry
  readonly text: string
  readonly outside: OutsideUse
  /** Its work has to pass checks. */
  readonly needsChecks: boolean
}

const folder = fileURLToPath(new URL('../../../catalog/', import.meta.url))

export const readCatalog = (): Promise<readonly CatalogFile[]> =>
  Promise.all(catalogLoops.map(readEntry))

/** Rejects with `bad-request` if there is none of this name. */
export async function readCatalogFile(name: string): Promise<CatalogFile> {
  const found = catalogLoops.find((one) => one.name === name)
  if (found !== undefined) return readEntry(found)
  const names = catalogLoops.map((one) => one.name)
  const message = unknownName('loop of the catalog', name, names)
  throw new LoopError('bad-request', `${message}. To list them, run: loopctl catalog`)
}

async function readEntry(loop: CatalogLoop): Promise<CatalogFile> {
  const path = `${folder}${loop.name}.yaml`
  const text = await readFile(path, 'utf8')
  const { file, type } = await parseLoopFile(text, path)
  const sources = type.gathers?.(file.settings) ?? []
  const proposed = file.proposes ?? { kind: 'report' }
  const needsChecks = Object.keys(file.checks).length > 0
  const outside = { sources, actions: [proposed] }
  return {
    entry: {
      ...loop,
      description: file.description ?? '',
      level: file.level,
      action: proposed.kind,
      reads: [...new Set(sources.map((source) => source.type))],
      needs: describeNeeds(outside, needsChecks),
    },
    text,
    outside,
    needsChecks,
  }
}

function describeNeeds(outside: OutsideUse, needsChecks: boolean): readonly string[] {
  const { sources } = outside
  return [
    'git',
    ...(usesGithub(outside) ? ['gh'] : []),
    ...(sources.some(({ type }) => type === 'outdated') ? ['package registry'] : []),
    ...(needsChecks ? ['checks'] : []),
  ]
}
