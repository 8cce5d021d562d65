/** What the composer is given of the workspace, and the words of the cases that it must not paste. Never a sealed case. */

import type { Iteration } from '../../../loop/index.ts'
import { inFolder, suiteCases, type Workload } from '../workload/workload.ts'
import type { ComposerSources } from './composer-prompt.ts'
import type { CaseText } from './pasted.ts'

const docCharsMax = 100_000
const casesMax = 500
const caseCharsMax = 64_000

/** In a step. */
export async function readSources(
  { workspace }: Pick<Iteration, 'workspace'>,
  { manifest, folder, cases }: Workload,
): Promise<ComposerSources> {
  // A document cannot show what is sealed.
  const hidden = new Set(cases.flatMap(({ path, expected }) => [path, expected?.path ?? path]))
  const read = async (path: string): Promise<string | undefined> => {
    const full = inFolder(folder, path)
    return hidden.has(full) ? undefined : (await workspace?.read(full))?.slice(0, docCharsMax)
  }
  const instructions = await read(manifest.agents.composer.promptFile)
  const docs = await Promise.all(
    manifest.domainDocs.map(async (path) => {
      const text = await read(path)
      return text === undefined ? [] : [{ path, text }]
    }),
  )
  return { docs: docs.flat(), ...(instructions === undefined ? {} : { instructions }) }
}

/** In a step: its result is too large for the journal, so only what was found in it may leave the step. */
export async function readCaseTexts(
  { workspace }: Pick<Iteration, 'workspace'>,
  workload: Workload,
): Promise<readonly CaseText[]> {
  const found: CaseText[] = []
  for (const { id, path, expected } of suiteCases(workload).slice(0, casesMax)) {
    const paths = [path, ...(expected === undefined ? [] : [expected.path])]
    const texts = await Promise.all(paths.map(async (one) => workspace?.read(one)))
    found.push({
      id,
      texts: texts.flatMap((text) => (text === undefined ? [] : [text.slice(0, caseCharsMax)])),
    })
  }
  return found
}
