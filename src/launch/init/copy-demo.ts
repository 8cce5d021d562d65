/** Copies an example of the package into a new repository, for `loopctl demo`. */

import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRepository } from '../../workspace/index.ts'
import { parseAgent } from './loop-text.ts'

/** The first is the default. */
export const demoNames = ['mend-duration', 'build-text', 'fix-sum'] as const
export type DemoName = (typeof demoNames)[number]

export interface DemoCopy {
  readonly file: string
  /** False without git: the run then works in the folder itself. */
  readonly isRepository: boolean
}

const examples = fileURLToPath(new URL('../../../examples/', import.meta.url))

export async function copyDemo(
  state: string,
  name: DemoName,
  agent: string | undefined,
): Promise<DemoCopy> {
  let number = 1
  while (existsSync(join(state, 'examples', `${name}-${number}`))) number++
  const copy = join(state, 'examples', `${name}-${number}`)
  cpSync(join(examples, name), copy, { recursive: true })
  const file = join(copy, 'loop.yaml')
  if (agent !== undefined) {
    const value = JSON.stringify(parseAgent(agent))
    const text = readFileSync(file, 'utf8')
    writeFileSync(
      file,
      text
        .replace(/^agent: repair$/m, () => `agent: ${value}`)
        .replace(/^ {2}maker: .*$/m, () => `  maker: ${value}`),
    )
  }
  const isRepository = await createRepository(join(copy, 'project')).then(
    () => true,
    () => false,
  )
  return { file, isRepository }
}
